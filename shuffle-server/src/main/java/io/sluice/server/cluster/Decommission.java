package io.sluice.server.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.proto.MoveProgress;
import io.sluice.proto.Status;
import io.sluice.server.service.PushSeal;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drain and decommission of this server, as requested by an operator. A draining server gets no new
 * assignments, but serves its data and accepts pushes to shuffles that it was assigned. A
 * decommissioned server drains, then exits.
 *
 * <p>States: {@code WORKING <-> DRAINING <-> DECOMMISSIONING <-> WORKING}, {@code DECOMMISSIONING
 * -> ENDED}; the last is final. Thread-safe. Each {@link #check} decides whether the server exits.
 */
public final class Decommission {
  private static final Logger log = LoggerFactory.getLogger(Decommission.class);

  /**
   * Number of consecutive checks without a shuffle before the server exits. One is not enough: a
   * driver may have received an assignment without pushes yet.
   */
  private static final int EMPTY_CHECKS = 2;

  /** Moves the server's data to other servers. Thread-safe; methods do not block. */
  public interface Handover {
    /** A handover for a server that moves no data. */
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

    /** Starts; does nothing if already started. */
    void begin();

    /** Stops. Idempotent. */
    void cancel();

    /**
     * Whether all data was moved, drivers know the new locations, and the server refuses pushes.
     */
    boolean isDone();

    /** Progress; empty while no handover is in progress. */
    default Optional<MoveProgress> progress() {
      return Optional.empty();
    }

    /** Bytes accepted by other servers since the start of the process. */
    default long movedBytes() {
      return 0;
    }
  }

  /** Status and message of the reply to the operator. */
  public record Outcome(Status status, String message) {}

  private enum State {
    WORKING,
    /** Gets no assignment; the server exits for another reason. */
    DRAINING,
    DECOMMISSIONING,
    /** The server must exit. */
    ENDED,
    /** The server changes no file any longer. */
    LEFT
  }

  private final BooleanSupplier empty;
  private final PushSeal seal;
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
  private int emptyChecks;

  /** For a server that moves no data. */
  public Decommission(BooleanSupplier empty, PushSeal seal, LongSupplier nanoTime) {
    this(empty, seal, Handover.NONE, nanoTime);
  }

  /**
   * @param empty whether the server stores no shuffle
   * @param seal ends pushes before an empty server exits
   */
  public Decommission(
      BooleanSupplier empty, PushSeal seal, Handover handover, LongSupplier nanoTime) {
    this.empty = empty;
    this.seal = seal;
    this.handover = handover;
    this.nanoTime = nanoTime;
  }

  /** Whether the server is draining or decommissioned. */
  public synchronized boolean isActive() {
    return state != State.WORKING;
  }

  /** Progress of the handover; empty if none is in progress. */
  Optional<MoveProgress> progress() {
    return handover.progress();
  }

  /** Bytes accepted by other servers since the start of the process. */
  long movedBytes() {
    return handover.movedBytes();
  }

  /** Completed when the server must exit, on the thread that called {@link #check}. */
  public CompletionStage<Void> ended() {
    return ended.minimalCompletionStage();
  }

  /** Whether the server must exit. */
  public synchronized boolean hasEnded() {
    return state == State.ENDED || state == State.LEFT;
  }

  /** Called when the storage of a server that must exit is closed. */
  public synchronized void leave() {
    if (hasEnded()) {
      state = State.LEFT;
    }
  }

  /** Whether coordinators must remove the server: its files do not change any longer. */
  public synchronized boolean hasLeft() {
    return state == State.LEFT;
  }

  /** Whether the server must exit because other servers have all its data. */
  public synchronized boolean hasMoved() {
    return hasEnded() && handover.isDone();
  }

  /** Starts a decommission that waits until all shuffles are deleted. */
  public Outcome begin(long deadlineMs) {
    return begin(deadlineMs, false);
  }

  /**
   * Starts a decommission, or changes the parameters of the current one.
   *
   * @param deadlineMs time until the server exits in any case; 0: no deadline
   * @param move whether to move the data to other servers, and exit afterwards
   */
  public synchronized Outcome begin(long deadlineMs, boolean move) {
    if (deadlineMs < 0) {
      return new Outcome(
          Status.BAD_REQUEST, "deadline_ms: expected 0 (no deadline) or more, found " + deadlineMs);
    }
    if (hasEnded()) {
      return new Outcome(Status.OK, "the server is already exiting");
    }
    if (state != State.DECOMMISSIONING) {
      emptyChecks = 0;
    }
    state = State.DECOMMISSIONING;
    hasDeadline = deadlineMs > 0;
    deadlineNanos =
        nanoTime.getAsLong()
            + TimeUnit.MILLISECONDS.toNanos(Math.min(deadlineMs, TimeUnit.DAYS.toMillis(3650)));
    if (move) {
      handover.begin();
    } else {
      handover.cancel();
    }
    log.info("decommission started deadlineMs={} move={}", deadlineMs, move);
    return new Outcome(Status.OK, "");
  }

  /** Starts a drain: no new assignments; the server does not exit, even when it is empty. */
  public synchronized Outcome drain() {
    if (hasEnded()) {
      return new Outcome(Status.DRAINING, "too late: the server is already exiting");
    }
    if (state != State.DRAINING) {
      state = State.DRAINING;
      handover.cancel();
      log.info("drain started");
    }
    return new Outcome(Status.OK, "");
  }

  /** Cancels the drain or decommission; the server accepts assignments again. */
  public synchronized Outcome cancel() {
    if (hasEnded()) {
      return new Outcome(Status.DRAINING, "too late: the server is already exiting");
    }
    if (state != State.WORKING) {
      state = State.WORKING;
      handover.cancel();
      log.info("decommission cancelled");
    }
    return new Outcome(Status.OK, "");
  }

  /**
   * Called periodically; ends the decommission when the server is empty, its data was moved, or the
   * deadline is reached.
   */
  public void check() {
    String reason = reasonToEnd();
    if (reason != null) {
      log.info("decommission complete, the server exits reason={}", reason);
      ended.complete(null);
    }
  }

  private synchronized String reasonToEnd() {
    if (state != State.DECOMMISSIONING) {
      return null;
    }
    emptyChecks = empty.getAsBoolean() ? emptyChecks + 1 : 0;
    String reason = null;
    if (handover.isDone()) {
      reason = "moved";
    } else if (emptyChecks >= EMPTY_CHECKS && isSealedEmpty()) {
      reason = "empty";
    } else if (hasDeadline && nanoTime.getAsLong() - deadlineNanos >= 0) {
      reason = "deadline";
    }
    if (reason != null) {
      state = State.ENDED;
    }
    return reason;
  }

  /** Refuses pushes if the server is still empty then: it would leave with an accepted one. */
  private synchronized boolean isSealedEmpty() {
    seal.seal();
    if (empty.getAsBoolean()) {
      return true;
    }
    seal.unseal();
    emptyChecks = 0;
    return false;
  }
}
