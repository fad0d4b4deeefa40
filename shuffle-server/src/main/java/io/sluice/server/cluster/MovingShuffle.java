package io.sluice.server.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
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
 * The move of one shuffle: a target is found, the copy runs in passes until it has caught up, the
 * driver hears of it, and a last pass after the server was sealed makes it whole. A target that
 * fails too often, or has lost what it took, is another beginning.
 *
 * <p>Steps belong to one thread at a time; what others read is guarded by this.
 */
final class MovingShuffle {
  /** In a row, before another target is tried. */
  private static final int MAX_FAILURES = 5;

  /** Passes of one step: a writer may be faster than its copy. */
  private static final int MAX_PASSES = 4;

  private static final long SMALL_BYTES = 8L << 20;

  private final ShuffleLog log;
  private final MoveTargets targets;
  private final Supplier<ShuffleCopy> copies;
  private final String self;

  // Touched by steps only.
  private final Set<String> excluded = new HashSet<>();
  private ServerId found;
  private int failures;

  /** Why the last of those that are excluded will not do. */
  private String left = "";

  @GuardedBy("this")
  private ShuffleCopy copy;

  @GuardedBy("this")
  private ServerId target;

  @GuardedBy("this")
  private boolean caughtUp;

  @GuardedBy("this")
  private boolean applied;

  @GuardedBy("this")
  private boolean finished;

  @GuardedBy("this")
  private String problem = "";

  /**
   * @param copies makes one that has copied nothing yet
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
   * Goes on as far as can be gone now.
   *
   * @param sealed whether nothing more will come after what is there
   * @return whether it went well; else to be tried again later
   */
  boolean step(boolean sealed) throws InterruptedException {
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
      }
      failures = 0;
      passed(sealed);
      return true;
    } catch (UnreadableException e) {
      say("cannot be read here: " + e.getMessage());
    } catch (IOException e) {
      failed(e);
    }
    return false;
  }

  /** The copy that goes on at the server as it is now: from the beginning if that has lost some. */
  private synchronized ShuffleCopy copyFor(MoveTarget connection) {
    if (target == null || connection.wholeSinceEpoch() > target.getEpoch()) {
      target = found.toBuilder().setEpoch(connection.epoch()).build();
      copy = copies.get();
      caughtUp = false;
      applied = false;
      finished = false;
    }
    return copy;
  }

  private synchronized void passed(boolean sealed) {
    caughtUp = true;
    finished = sealed && applied;
    problem = "";
  }

  private void failed(IOException cause) {
    if (found == null) {
      say(left.isEmpty() ? cause.getMessage() : cause.getMessage() + "; " + left);
      // Servers that failed before may be well again.
      excluded.clear();
      return;
    }
    say(cause.getMessage());
    failures++;
    if (needsOtherTarget(cause)) {
      excluded.add(found.getName());
      left = cause.getMessage();
      found = null;
      failures = 0;
      beginAgain();
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
      case WAIT, RETRY, RECONNECT, RESEND, DELETED -> failures >= MAX_FAILURES;
    };
  }

  private synchronized void beginAgain() {
    target = null;
    copy = null;
    caughtUp = false;
    applied = false;
  }

  private synchronized void say(String why) {
    problem = why;
    finished = false;
  }

  /** What drivers are to be told; null while there is no target. */
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

  /** More may come after all. */
  synchronized void reopen() {
    finished = false;
  }

  /** A driver heeds a move. */
  synchronized void applied(ShuffleMove move) {
    applied |= move.equals(move());
  }

  synchronized boolean isApplied() {
    return applied;
  }

  /** Whether all but the latest is at the target, and the driver knows. */
  synchronized boolean isReady() {
    return caughtUp && applied;
  }

  /** Whether the target has everything that there will be. */
  synchronized boolean isFinished() {
    return finished;
  }

  synchronized long bytesLeft() {
    return Math.max(0, log.storedBytes() - (copy == null ? 0 : copy.position()));
  }

  /** Why it is not ready, in one line; empty if it is, or nothing is in the way. */
  synchronized String waitsFor() {
    if (isReady()) {
      return "";
    }
    if (!problem.isEmpty()) {
      return problem;
    }
    return caughtUp ? "its driver has not heard of " + target.getName() + " yet" : "";
  }
}
