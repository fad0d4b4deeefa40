package io.sluice.client.read;

import io.sluice.client.RetryPolicy;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.client.transport.DataConnection;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode.OnRead;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What follows from a failure: the same again later, everything of a server opened again, or
 * another place. Owned by the task thread.
 *
 * <p>A server that fails is tried again as long as the configured patience lasts, because what it
 * has may be nowhere else. It gets one try, and one more if only a connection was lost, where
 *
 * <ul>
 *   <li>another place has copies of all that is asked of it (if they turn out to have less, it is
 *       asked again, with patience), or
 *   <li>writers have given it up before, or another task of this process, with their own patience,
 *       or
 *   <li>this read has spent its patience on another server, and another place may have what is
 *       asked: a read waits once, not once for each server.
 * </ul>
 */
final class LaneFailures {
  private static final Logger LOG = LoggerFactory.getLogger(LaneFailures.class);

  private final ReadState state;

  LaneFailures(ReadState state) {
    this.state = state;
  }

  void onFetchFailure(ReadLane lane, Slice slice, DataConnection connection, Throwable cause)
      throws IOException {
    OnRead reaction =
        cause instanceof SluiceException refusal ? refusal.code().onRead() : OnRead.RETRY;
    boolean mayPass = reaction == OnRead.RETRY_BYTES;
    if (mayPass && !hasCopies(slice) && slice.countAttempt() < state.config.retry().maxAttempts()) {
      lane.backOffUntil(
          state.nanoTime.getAsLong()
              + TimeUnit.MILLISECONDS.toNanos(state.config.retry().delayMs(slice.attempts())));
    } else if (mayPass || reaction == OnRead.LOST) {
      // The server is well, these bytes are not: only what the slice was for goes elsewhere.
      lane.slices().remove(slice);
      state.drop(slice);
      for (Slice.Part part : slice.parts()) {
        if (part.isWanted()) {
          if (mayPass && part.visit().progress().hasMoreCopies()) {
            part.visit().progress().leaveEarly();
          }
          state.absent(part.visit(), Reason.LOST, cause.getMessage());
        }
      }
    } else {
      onRequestFailure(lane, connection, cause);
    }
  }

  /** Whether another place has everything that is still wanted of a slice: no need to wait. */
  private boolean hasCopies(Slice slice) {
    for (Slice.Part part : slice.parts()) {
      if (part.isWanted() && !state.hasCopies(part.visit())) {
        return false;
      }
    }
    return true;
  }

  void onRequestFailure(ReadLane lane, DataConnection connection, Throwable failed)
      throws IOException {
    Throwable cause = unwrapped(failed);
    if (cause instanceof SluiceException) {
      onFailure(lane, cause);
    } else if (lane.connection() == connection) {
      // Every request of a lost connection fails: the loss counts once.
      lane.disconnected();
      onFailure(lane, cause, 1);
    }
  }

  void onFailure(ReadLane lane, Throwable failed) throws IOException {
    onFailure(lane, failed, 0);
  }

  /**
   * @param lostConnections 1 if the failure is the loss of a connection that was there, else 0
   */
  private void onFailure(ReadLane lane, Throwable failed, int lostConnections) throws IOException {
    Throwable cause = unwrapped(failed);
    if (!(cause instanceof SluiceException refusal)) {
      backOff(lane, Reason.UNREACHABLE, cause, lostConnections);
      return;
    }
    switch (refusal.code().onRead()) {
      case RETRY, RETRY_BYTES -> backOff(lane, Reason.UNREACHABLE, cause, lostConnections);
      case REOPEN -> startAgain(lane);
      case NOT_WRITTEN -> giveUp(lane, Reason.NEVER_WRITTEN, cause.getMessage());
      case DELETED -> giveUp(lane, Reason.EXPIRED, cause.getMessage());
      case LOST -> giveUp(lane, Reason.LOST, cause.getMessage());
      case NO_ACCESS -> {
        gaveUp(lane, cause);
        giveUp(lane, Reason.UNREACHABLE, cause.getMessage());
      }
      case FAIL ->
          throw new SluiceException(
              refusal.code(),
              "read failed app="
                  + state.shuffle.getApplication()
                  + " shuffle="
                  + state.shuffle.getShuffle()
                  + " server="
                  + lane.name()
                  + " code="
                  + refusal.code()
                  + ": "
                  + refusal.getMessage(),
              refusal);
    }
  }

  static Throwable unwrapped(Throwable failed) {
    return failed instanceof CompletionException && failed.getCause() != null
        ? failed.getCause()
        : failed;
  }

  private void backOff(ReadLane lane, Reason reason, Throwable cause, int lostConnections) {
    long now = state.nanoTime.getAsLong();
    if (lane.isBackingOff() && now - lane.notBeforeNanos() < 0) {
      // Requests that were sent together fail together: that counts once.
      return;
    }
    lane.failed(now);
    if (lane.failures() == 1) {
      state.late.suspect(lane);
    }
    long failingMs = TimeUnit.NANOSECONDS.toMillis(now - lane.failingSinceNanos());
    RetryPolicy retry = state.config.retry();
    boolean quick = lane.failures() > lostConnections && getsOneTry(lane);
    if (quick || lane.failures() >= retry.maxAttempts() || failingMs >= retry.patienceMs()) {
      state.patienceSpent |= !quick;
      if (quick && !lane.isReplaced()) {
        lane.visits()
            .map(PartitionVisit::progress)
            .filter(PartitionProgress::hasMoreCopies)
            .forEach(PartitionProgress::leaveEarly);
      }
      if (!quick || lane.isReplaced() || state.health.isFailing(lane.server())) {
        gaveUp(lane, cause);
      }
      giveUp(
          lane, reason, lane.failures() + " tries in " + failingMs + " ms: " + cause.getMessage());
      return;
    }
    long delayMs = Math.min(retry.delayMs(lane.failures()), retry.patienceMs() - failingMs);
    lane.backOffUntil(now + TimeUnit.MILLISECONDS.toNanos(delayMs));
  }

  private void gaveUp(ReadLane lane, Throwable cause) {
    if (state.health.gaveUp(lane.server())) {
      LOG.warn(
          "server given up by a read app={} shuffle={} server={} problem={}",
          state.shuffle.getApplication(),
          state.shuffle.getShuffle(),
          lane.name(),
          cause.getMessage());
    }
  }

  /**
   * Leaves a server without a try, if others of this process had waited for it in vain and tried it
   * again just now, and if another place may have what is asked of it.
   */
  boolean passesBy(ReadLane lane) {
    if (!state.health.isFailing(lane.server())
        || !lane.visits().allMatch(state::mayBeElsewhere)
        || state.health.mayTry(lane.server())) {
      return false;
    }
    lane.visits().map(PartitionVisit::progress).forEach(PartitionProgress::leaveEarly);
    giveUp(lane, Reason.UNREACHABLE, "other tasks waited for the server in vain");
    return true;
  }

  private boolean getsOneTry(ReadLane lane) {
    return lane.isReplaced()
        || state.health.isFailing(lane.server())
        || lane.visits()
            .allMatch(
                visit ->
                    state.hasCopies(visit) || (state.patienceSpent && state.mayBeElsewhere(visit)));
  }

  /** Offsets are no longer valid: opens everything again that is under way at a server. */
  void startAgain(ReadLane lane) {
    if (lane.countRestart() > state.config.retry().maxAttempts()) {
      giveUp(lane, Reason.LOST, "the server's offsets changed " + lane.restarts() + " times");
      return;
    }
    List<PartitionVisit> visits = lane.takeVisits();
    state.dropSlices(lane);
    lane.forgetEpoch();
    for (PartitionVisit visit : visits) {
      visit.end();
      lane.open(new PartitionVisit(visit.progress(), lane));
    }
  }

  /** Goes to other places for everything that is under way at a server. */
  void giveUp(ReadLane lane, Reason reason, String detail) {
    List<PartitionVisit> visits = lane.takeVisits();
    state.dropSlices(lane);
    lane.succeeded();
    for (PartitionVisit visit : visits) {
      state.absent(visit, reason, detail);
    }
  }
}
