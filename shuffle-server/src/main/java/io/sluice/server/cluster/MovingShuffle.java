package io.sluice.server.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.netty.buffer.Unpooled;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.ShuffleMove;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleLog;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;

/**
 * The move of one shuffle. First a target is chosen, and data is copied in passes until the copy
 * has caught up. Then the driver applies the move, and a last pass follows after the server was
 * sealed. If the target fails too often or loses data, the move starts again with a new copy.
 *
 * <p>Steps run on one thread at a time; state that other threads read is guarded by this.
 */
final class MovingShuffle {
  /** Consecutive failures before another target is chosen. */
  private static final int MAX_FAILURES = 5;

  /** Maximum number of passes in one step, as pushes may be faster than the copy. */
  private static final int MAX_PASSES = 4;

  private static final long SMALL_BYTES = 8L << 20;

  private final ShuffleLog log;
  private final MoveTargets targets;
  private final Supplier<ShuffleCopy> copies;
  private final String self;

  // Used by steps only.
  private final Set<String> excluded = new HashSet<>();
  private ServerId found;
  private int failures;

  /** Failure of the last excluded target. */
  private String lastExclusion = "";

  @GuardedBy("this")
  private ShuffleCopy copy;

  @GuardedBy("this")
  private ServerId target;

  @GuardedBy("this")
  private boolean caughtUp;

  @GuardedBy("this")
  private boolean applied;

  /** The seal under which the target got all data; 0: none. */
  @GuardedBy("this")
  private int finishedSeal;

  @GuardedBy("this")
  private String problem = "";

  /**
   * @param copies creates an empty copy
   * @param self name of this server
   */
  MovingShuffle(ShuffleLog log, MoveTargets targets, Supplier<ShuffleCopy> copies, String self) {
    this.log = log;
    this.targets = targets;
    this.copies = copies;
    this.self = self;
  }

  ShuffleKey key() {
    return log.key();
  }

  ShuffleLog log() {
    return log;
  }

  /**
   * Executes the next step of the move.
   *
   * @param seal number of the seal under which the server refuses pushes, so that the data is
   *     final; 0: it accepts pushes
   * @return whether the step succeeded; otherwise it must be retried later
   */
  boolean step(int seal) throws InterruptedException {
    try {
      if (found == null) {
        found = targets.find(log.key(), log.partitionCount(), excluded);
      }
      try (MoveTarget connection = targets.connect(found, log.key().application())) {
        ShuffleCopy current = copyFor(connection);
        long bytes = current.pass(connection);
        for (int i = 1; i < MAX_PASSES && bytes > SMALL_BYTES; i++) {
          bytes = current.pass(connection);
        }
        if (seal > 0 && bytes == 0) {
          // A target that is sealed as well refuses the frame. Otherwise, servers that move to each
          // other would both leave with the data.
          connection.push(log.key(), Unpooled.EMPTY_BUFFER);
        }
      }
      failures = 0;
      passed(seal);
      return true;
    } catch (UnreadableException e) {
      setProblem("local read failed: " + e.getMessage());
    } catch (IOException e) {
      failed(e);
    }
    return false;
  }

  /** The current copy; a new one if the target has lost data. */
  private synchronized ShuffleCopy copyFor(MoveTarget connection) {
    if (target == null || connection.wholeSinceEpoch() > target.getEpoch()) {
      target = found.toBuilder().setEpoch(connection.epoch()).build();
      copy = copies.get();
      caughtUp = false;
      applied = false;
      finishedSeal = 0;
    }
    return copy;
  }

  private synchronized void passed(int seal) {
    caughtUp = true;
    finishedSeal = applied ? seal : 0;
    problem = "";
  }

  private void failed(IOException cause) {
    if (found == null) {
      setProblem(
          lastExclusion.isEmpty() ? cause.getMessage() : cause.getMessage() + "; " + lastExclusion);
      // Excluded servers may have recovered.
      excluded.clear();
      return;
    }
    setProblem(cause.getMessage());
    if (cause instanceof SluiceException refusal && refusal.code() == StatusCode.TOKEN_EXPIRED) {
      // The next connection has a new token.
      return;
    }
    failures++;
    if (needsOtherTarget(cause)) {
      excluded.add(found.getName());
      lastExclusion = cause.getMessage();
      found = null;
      failures = 0;
      restart();
    }
  }

  private boolean needsOtherTarget(IOException cause) {
    if (cause instanceof SSLException) {
      // Certificates do not change within seconds.
      return true;
    }
    if (!(cause instanceof SluiceException refusal)) {
      return failures >= MAX_FAILURES;
    }
    if (refusal.code() == StatusCode.DENIED) {
      // The quota is the same at every server.
      return false;
    }
    return switch (refusal.code().onPush()) {
      case FAIL_OVER, WAIT_BRIEFLY -> true;
      case WAIT, RETRY, RECONNECT, RENEW, RESEND, DELETED -> failures >= MAX_FAILURES;
    };
  }

  private synchronized void restart() {
    target = null;
    copy = null;
    caughtUp = false;
    applied = false;
  }

  private synchronized void setProblem(String why) {
    problem = why;
    finishedSeal = 0;
  }

  /** The move to report to drivers; null if there is no target. */
  synchronized ShuffleMove move() {
    return target == null
        ? null
        : ShuffleMove.newBuilder()
            .setShuffle(
                ShuffleId.newBuilder()
                    .setApplication(log.key().application())
                    .setShuffle(log.key().shuffle()))
            .setFrom(self)
            .setTo(target)
            .build();
  }

  /** Reports that a driver has applied a move. */
  synchronized void applied(ShuffleMove move) {
    applied |= move.equals(move());
  }

  synchronized boolean isApplied() {
    return applied;
  }

  /** Whether the copy has caught up and the driver has applied the move. */
  synchronized boolean isReady() {
    return caughtUp && applied;
  }

  /**
   * Whether the target stores all data of the shuffle.
   *
   * @param seal number of the current seal; 0: the server accepts pushes
   */
  synchronized boolean isFinished(int seal) {
    return seal > 0 && finishedSeal == seal;
  }

  synchronized long bytesLeft() {
    return Math.max(0, log.storedBytes() - (copy == null ? 0 : copy.position()));
  }

  /**
   * One-line reason why the shuffle is not ready; empty if it is ready or copying without failures.
   */
  synchronized String waitsFor() {
    if (isReady()) {
      return "";
    }
    if (!problem.isEmpty()) {
      return problem;
    }
    return caughtUp ? "the driver has not applied the move to " + target.getName() + " yet" : "";
  }
}
