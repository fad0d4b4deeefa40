package io.sluice.client.read;

import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.client.server.RetryPolicy;
import io.sluice.client.server.ServerHealth;
import io.sluice.client.server.ServerSession;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode.OnRead;
import io.sluice.proto.ShuffleId;
import io.sluice.transport.client.DataConnection;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides what a read does after a failure: send the same request again later, open everything at
 * the server again, or read elsewhere. Never waits. Belongs to the task thread.
 *
 * <p>A failing server is tried again for the whole retry period, because its data may be nowhere
 * else. It gets one try, and one more if only a connection was lost, if
 *
 * <ul>
 *   <li>another location has copies of all that is asked of it (if they have less, the server is
 *       asked again, for the whole retry period), or
 *   <li>writers, or another task of this process, gave it up after their own retry period, or
 *   <li>this read has spent its retry period on another server, and another location may have the
 *       data: a read waits once, not once for each server.
 * </ul>
 */
final class ServerFailures {
  private static final Logger LOG = LoggerFactory.getLogger(ServerFailures.class);

  private final ShuffleId shuffle;
  private final RetryPolicy retry;
  private final ReadProgress progress;
  private final SliceBudget budget;
  private final LateServers late;
  private final ServerHealth health;
  private boolean retryPeriodSpent;

  ServerFailures(
      ShuffleId shuffle,
      RetryPolicy retry,
      ReadProgress progress,
      SliceBudget budget,
      LateServers late,
      ServerHealth health) {
    this.shuffle = shuffle;
    this.retry = retry;
    this.progress = progress;
    this.budget = budget;
    this.late = late;
    this.health = health;
  }

  void onFetchFailure(
      ReadServer server, Slice slice, DataConnection connection, Throwable failed, long now)
      throws IOException {
    Throwable cause = unwrapped(failed);
    OnRead reaction =
        cause instanceof SluiceException refusal ? refusal.code().onRead() : OnRead.RETRY;
    boolean mayPass = reaction == OnRead.RETRY_BYTES;
    if (mayPass && !hasCopies(slice) && slice.countAttempt() < retry.maxAttempts()) {
      server.session().backOff(retry.delayMs(slice.attempts()), now);
    } else if (mayPass || reaction == OnRead.LOST) {
      // The server is healthy, these bytes are not: only the data of this slice is read elsewhere.
      server.slices().remove(slice);
      budget.drop(slice);
      for (Slice.Part part : slice.parts()) {
        if (part.isWanted()) {
          if (mayPass && part.visit().progress().hasMoreCopies()) {
            part.visit().progress().leaveEarly();
          }
          progress.endVisit(part.visit(), Reason.LOST, cause.getMessage());
        }
      }
    } else {
      onRequestFailure(server, connection, cause, now);
    }
  }

  /** Whether another location has everything that is still wanted of a slice: no need to wait. */
  private boolean hasCopies(Slice slice) {
    for (Slice.Part part : slice.parts()) {
      if (part.isWanted() && !progress.hasCopies(part.visit())) {
        return false;
      }
    }
    return true;
  }

  void onRequestFailure(ReadServer server, DataConnection connection, Throwable failed, long now)
      throws IOException {
    Throwable cause = unwrapped(failed);
    if (cause instanceof SluiceException) {
      onFailure(server, cause, 0, now);
    } else if (server.session().connection() == connection) {
      // Every request of a lost connection fails: the loss counts once.
      server.session().disconnected();
      onFailure(server, cause, 1, now);
    }
  }

  void onConnectFailure(ReadServer server, Throwable failed, long now) throws IOException {
    server.session().disconnected();
    onFailure(server, unwrapped(failed), 0, now);
  }

  /**
   * @param lostConnections 1 if the failure is the loss of an established connection, else 0
   */
  private void onFailure(ReadServer server, Throwable cause, int lostConnections, long now)
      throws IOException {
    if (!(cause instanceof SluiceException refusal)) {
      backOff(server, cause, lostConnections, now);
      return;
    }
    switch (refusal.code().onRead()) {
      case RETRY, RETRY_BYTES -> backOff(server, cause, lostConnections, now);
      case REOPEN -> openAgain(server);
      case NOT_WRITTEN -> giveUp(server, Reason.NEVER_WRITTEN, cause.getMessage());
      case DELETED -> giveUp(server, Reason.EXPIRED, cause.getMessage());
      case LOST -> giveUp(server, Reason.LOST, cause.getMessage());
      case NO_ACCESS -> {
        reportFailing(server, cause);
        giveUp(server, Reason.UNREACHABLE, cause.getMessage());
      }
      case FAIL ->
          throw new SluiceException(
              refusal.code(),
              "read failed app="
                  + shuffle.getApplication()
                  + " shuffle="
                  + shuffle.getShuffle()
                  + " server="
                  + server.name()
                  + " code="
                  + refusal.code()
                  + ": "
                  + refusal.getMessage(),
              refusal);
    }
  }

  private static Throwable unwrapped(Throwable failed) {
    return failed instanceof CompletionException && failed.getCause() != null
        ? failed.getCause()
        : failed;
  }

  private void backOff(ReadServer server, Throwable cause, int lostConnections, long now) {
    ServerSession session = server.session();
    if (!session.failed(now)) {
      return;
    }
    if (session.failures() == 1) {
      late.suspect(server);
    }
    boolean early = session.failures() > lostConnections && getsOneTry(server);
    if (!early && !session.isExhausted(retry, now)) {
      session.backOff(retry, now);
      return;
    }
    retryPeriodSpent |= !early;
    if (early && !server.isReplaced()) {
      server
          .visits()
          .map(PartitionVisit::progress)
          .filter(PartitionProgress::hasMoreCopies)
          .forEach(PartitionProgress::leaveEarly);
    }
    if (!early || server.isReplaced() || health.isFailing(server.server())) {
      reportFailing(server, cause);
    }
    giveUp(
        server,
        Reason.UNREACHABLE,
        session.failures() + " tries in " + session.failingMs(now) + " ms: " + cause.getMessage());
  }

  private void reportFailing(ReadServer server, Throwable cause) {
    if (health.gaveUp(server.server())) {
      LOG.warn(
          "server given up by a read app={} shuffle={} server={} reason={}",
          shuffle.getApplication(),
          shuffle.getShuffle(),
          server.name(),
          cause.getMessage());
    }
  }

  /**
   * Skips a server without a try, if other tasks gave it up and tried it again a moment ago, and
   * another location may have its data; whether it was skipped.
   */
  boolean skip(ReadServer server) {
    if (!health.isFailing(server.server())
        || !server.visits().allMatch(progress::mayBeElsewhere)
        || health.mayTry(server.server())) {
      return false;
    }
    server.visits().map(PartitionVisit::progress).forEach(PartitionProgress::leaveEarly);
    giveUp(server, Reason.UNREACHABLE, "other tasks gave the server up");
    return true;
  }

  private boolean getsOneTry(ReadServer server) {
    return server.isReplaced()
        || health.isFailing(server.server())
        || server
            .visits()
            .allMatch(
                visit ->
                    progress.hasCopies(visit)
                        || (retryPeriodSpent && progress.mayBeElsewhere(visit)));
  }

  /**
   * Leaves a server that answers nothing for longer than the read may wait, if there are copies.
   */
  boolean giveUpIfCopied(ReadServer server, long silentMs) {
    if (!server.visits().allMatch(progress::hasCopies)) {
      return false;
    }
    giveUp(server, Reason.UNREACHABLE, "no answer for " + silentMs + " ms");
    return true;
  }

  /** A server has answered nothing for the whole retry period. */
  void giveUpSilent(ReadServer server, long silentMs) {
    retryPeriodSpent = true;
    giveUp(server, Reason.UNREACHABLE, "no answer for " + silentMs + " ms");
  }

  /** Offsets are not valid any more: opens everything again that is under way at a server. */
  void openAgain(ReadServer server) {
    if (server.countRestart() > retry.maxAttempts()) {
      giveUp(server, Reason.LOST, "the server's offsets changed " + server.restarts() + " times");
      return;
    }
    List<PartitionVisit> visits = server.takeVisits();
    budget.dropAll(server);
    server.forgetEpoch();
    for (PartitionVisit visit : visits) {
      visit.end();
      server.open(new PartitionVisit(visit.progress(), server));
    }
  }

  /** Reads elsewhere what is under way at a server. */
  private void giveUp(ReadServer server, Reason reason, String detail) {
    List<PartitionVisit> visits = server.takeVisits();
    budget.dropAll(server);
    server.session().succeeded();
    for (PartitionVisit visit : visits) {
      progress.endVisit(visit, reason, detail);
    }
  }
}
