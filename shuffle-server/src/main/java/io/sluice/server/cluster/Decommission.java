package io.sluice.server.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.proto.MoveProgress;
import io.sluice.proto.Status;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An operator's wish that this server leaves, or that it only takes nothing new before it is
 * restarted. Until it ends it serves what it holds, and takes the rest of shuffles that it was
 * assigned; it says that it takes no new one.
 *
 * <p>States: {@code WORKING <-> STAYING <-> LEAVING <-> WORKING}, {@code LEAVING -> ENDED}; the
 * last is final. Thread-safe. It is asked whether to end at every {@link #look}.
 */
public final class Decommission {
  private static final Logger log = LoggerFactory.getLogger(Decommission.class);

  /**
   * An assignment may be under way to a driver whose tasks have pushed nothing yet, so one look
   * that finds nothing is not enough.
   */
  private static final int EMPTY_LOOKS = 2;

  /** Hands what the server holds on to others. Thread-safe; nothing here waits. */
  public interface Handover {
    /** Of a server that hands nothing on. */
    Handover NONE =
        new Handover() {
          @Override
          public void begin() {}

          @Override
          public void cancel() {}

          @Override
          public boolean isDone() {
            return false;
          }
        };

    /** Begins, unless it has begun. */
    void begin();

    /** Stops. Idempotent. */
    void cancel();

    /** Whether others have all, those who need it know, and the server takes nothing more. */
    boolean isDone();

    /** Progress; empty while nothing is handed over. */
    default Optional<MoveProgress> progress() {
      return Optional.empty();
    }

    /** Bytes that other servers accepted, since the start of the process. */
    default long movedBytes() {
      return 0;
    }
  }

  /** What an answer to an operator says. */
  public record Outcome(Status status, String message) {}

  private enum State {
    WORKING,
    /** Takes no assignment, and ends for another reason. */
    STAYING,
    LEAVING,
    ENDED
  }

  private final BooleanSupplier empty;
  private final Handover handover;
  private final LongSupplier nanoTime;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  @GuardedBy("this")
  private State state = State.WORKING;

  @GuardedBy("this")
  private boolean hasDeadline;

  @GuardedBy("this")
  private long deadlineNanos;

  @GuardedBy("this")
  private int emptyLooks;

  /** Of a server that hands nothing on. */
  public Decommission(BooleanSupplier empty, LongSupplier nanoTime) {
    this(empty, Handover.NONE, nanoTime);
  }

  /**
   * @param empty whether the server holds no shuffle
   */
  public Decommission(BooleanSupplier empty, Handover handover, LongSupplier nanoTime) {
    this.empty = empty;
    this.handover = handover;
    this.nanoTime = nanoTime;
  }

  /** Whether the server takes no new assignment for this reason. */
  public synchronized boolean isUnderWay() {
    return state != State.WORKING;
  }

  /** Progress of the handover; empty while there is none. */
  Optional<MoveProgress> progress() {
    return handover.progress();
  }

  /** Bytes that other servers accepted, since the start of the process. */
  long movedBytes() {
    return handover.movedBytes();
  }

  /** Completed once the server should end, on the thread that looked. */
  public CompletionStage<Void> ended() {
    return ended.minimalCompletionStage();
  }

  /** Whether the server should end, or has. */
  public synchronized boolean hasEnded() {
    return state == State.ENDED;
  }

  /** As the other, and waits until what is held is forgotten. */
  public Outcome begin(long deadlineMs) {
    return begin(deadlineMs, false);
  }

  /**
   * Begins, or changes how: the latest order holds.
   *
   * @param deadlineMs from now; 0: none
   * @param move whether to hand on what is held and end when that is done
   */
  public synchronized Outcome begin(long deadlineMs, boolean move) {
    if (deadlineMs < 0) {
      return new Outcome(
          Status.BAD_REQUEST, "deadline_ms: expected 0 (none) or more, found " + deadlineMs);
    }
    if (state == State.ENDED) {
      return new Outcome(Status.OK, "the server is ending already");
    }
    if (state != State.LEAVING) {
      emptyLooks = 0;
    }
    state = State.LEAVING;
    hasDeadline = deadlineMs > 0;
    deadlineNanos =
        nanoTime.getAsLong()
            + TimeUnit.MILLISECONDS.toNanos(Math.min(deadlineMs, TimeUnit.DAYS.toMillis(3650)));
    if (move) {
      handover.begin();
    } else {
      handover.cancel();
    }
    log.info("decommission begun deadlineMs={} move={}", deadlineMs, move);
    return new Outcome(Status.OK, "");
  }

  /** Takes no assignment from now on, and does not end, however empty the server is. */
  public synchronized Outcome stay() {
    if (state == State.ENDED) {
      return new Outcome(Status.DRAINING, "too late: the server is ending already");
    }
    if (state != State.STAYING) {
      state = State.STAYING;
      handover.cancel();
      log.info("the server drains and stays");
    }
    return new Outcome(Status.OK, "");
  }

  /** Takes assignments again. */
  public synchronized Outcome cancel() {
    if (state == State.ENDED) {
      return new Outcome(Status.DRAINING, "too late: the server is ending already");
    }
    if (state != State.WORKING) {
      state = State.WORKING;
      handover.cancel();
      log.info("decommission cancelled");
    }
    return new Outcome(Status.OK, "");
  }

  /**
   * To be called now and then; ends the server when it is empty, what it held has been moved, or
   * its time is over.
   */
  public void look() {
    String reason = reasonToEnd();
    if (reason != null) {
      log.info("decommission ended, the server leaves reason={}", reason);
      ended.complete(null);
    }
  }

  private synchronized String reasonToEnd() {
    if (state != State.LEAVING) {
      return null;
    }
    emptyLooks = empty.getAsBoolean() ? emptyLooks + 1 : 0;
    String reason = null;
    if (handover.isDone()) {
      reason = "moved";
    } else if (emptyLooks >= EMPTY_LOOKS) {
      reason = "empty";
    } else if (hasDeadline && nanoTime.getAsLong() - deadlineNanos >= 0) {
      reason = "deadline";
    }
    if (reason != null) {
      state = State.ENDED;
    }
    return reason;
  }
}
