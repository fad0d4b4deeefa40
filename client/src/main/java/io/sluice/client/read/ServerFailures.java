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
 * Decides how a read reacts to a failure: send the same request again later, open all partitions at
 * the server again, or leave the server and visit the next ones. Never waits. Owned by the task
 * thread.
 *
 * <p>A failing server gets the full retry period, because no other server may have its data. It
 * gets only one attempt, and one more if an established connection was lost, if
 *
 * <ul>
 *   <li>another replica or local output has copies of all blocks that are read from it (if these
 *       are incomplete, the server is visited again, with the full retry period), or
 *   <li>map tasks, or another task of this process, gave it up after a retry period, or
 *   <li>it moves its data to another server, which may have all of it by now (if not, the server is
 *       visited again, with the full retry period, because it may only restart), or
 *   <li>this read has spent its retry period on another server, and another server or local output
 *       may have the data: a read waits once, not once per server.
 * </ul>
 */
final class ServerFailures {
  private static final Logger LOG = LoggerFactory.getLogger(ServerFailures.class);

  /**
   * Maximum number of times in a row that a partition is opened again at a server that has lost
   * bytes but does not report which.
   */
  private static final int MAX_LOSSES = 3;

  private final ShuffleId shuffle;
  private final RetryPolicy retry;
  private final ReadProgress progress;
  private final SliceBudget budget;
  private final AssignmentUpdates updates;
  private final ServerHealth health;
  private boolean retryPeriodSpent;

  ServerFailures(
      ShuffleId shuffle,
      RetryPolicy retry,
      ReadProgress progress,
      SliceBudget budget,
      AssignmentUpdates updates,
      ServerHealth health) {
    this.shuffle = shuffle;
    this.retry = retry;
    this.progress = progress;
    this.budget = budget;
    this.updates = updates;
    this.health = health;
  }

  void onFetchFailure(
      ReadServer server, Slice slice, DataConnection connection, Throwable failed, long now)
      throws IOException {
    Throwable cause = unwrapped(failed);
    OnRead reaction =
        cause instanceof SluiceException refusal ? refusal.code().onRead() : OnRead.RETRY;
    boolean bytesDamaged = reaction == OnRead.RETRY_BYTES;
    if (bytesDamaged && !hasCopies(slice) && slice.countAttempt() < retry.maxAttempts()) {
      server.session().backOff(retry.delayMs(slice.attempts()), now);
    } else if (reaction == OnRead.LOST) {
      continueAfterLoss(server, slice, cause.getMessage());
    } else if (bytesDamaged) {
      // The server is healthy, but cannot read these bytes: only the partitions of this slice leave
      // it.
      server.slices().remove(slice);
      budget.drop(slice);
      for (Slice.Part part : slice.parts()) {
        if (part.isWanted()) {
          if (part.visit().progress().hasOtherReplica()) {
            part.visit().progress().postponeServer();
          }
          progress.endVisit(part.visit(), Reason.LOST, cause.getMessage());
        }
      }
    } else {
      onRequestFailure(server, connection, cause, now);
    }
  }

  /**
   * The server lost bytes of a slice after its partitions were opened. Opens them again, because
   * only the server knows which bytes it lost, and continues behind the parsed blocks.
   */
  private void continueAfterLoss(ReadServer server, Slice slice, String detail) {
    server.slices().remove(slice);
    budget.drop(slice);
    for (Slice.Part part : slice.parts()) {
      PartitionVisit visit = part.visit();
      if (!part.isWanted()) {
        continue;
      }
      visit.progress().lostAt(server);
      if (visit.losses() >= MAX_LOSSES) {
        progress.endVisit(visit, Reason.LOST, detail);
      } else {
        PartitionVisit next = visit.continuedAfterLoss(detail);
        visit.end();
        server.endVisit(visit);
        server.open(next);
      }
    }
  }

  /** Whether other replicas have all blocks of a slice that are still needed. */
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
    if (cause instanceof SluiceException refusal && refusal.code().onRead() == OnRead.RENEW) {
      if (server.session().connection() == connection) {
        server.session().disconnected();
      }
    } else if (cause instanceof SluiceException) {
      onFailure(server, cause, 0, now);
    } else if (server.session().connection() == connection) {
      // Every request of a lost connection fails; the loss counts once.
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
      case RETRY, RETRY_BYTES, RENEW -> backOff(server, cause, lostConnections, now);
      case REOPEN -> reopenAll(server);
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
              "read failed application="
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
      updates.onFirstFailure(server);
    }
    boolean early = session.failures() > lostConnections && limitedToOneAttempt(server);
    if (!early && !session.isExhausted(retry, now)) {
      session.backOff(retry, now);
      return;
    }
    retryPeriodSpent |= !early;
    visitOthersAgain(server);
    if (early) {
      server.visits().forEach(visit -> postpone(server, visit.progress()));
    }
    if (!early || server.isReplaced() || health.isGivenUp(server.server())) {
      reportFailing(server, cause);
    } else if (server.isLeaving() || health.isFailing(server.server())) {
      health.markUnreachable(server.server());
    }
    giveUp(
        server,
        Reason.UNREACHABLE,
        session.failures()
            + " attempts in "
            + session.failingMs(now)
            + " ms: "
            + cause.getMessage());
  }

  /**
   * Makes a partition return to a server in its second round, because others may not have all
   * blocks.
   */
  private void postpone(ReadServer server, PartitionProgress visited) {
    if (server.isLeaving()) {
      updates.extend(visited);
      visited.postponeServer();
    } else if (!server.isReplaced() && visited.hasOtherReplica()) {
      visited.postponeServer();
    }
  }

  /** A server that moves its data, or may have moved it later, may have left by now. */
  private static void visitOthersAgain(ReadServer server) {
    if (server.isLeaving() || server.isReplaced()) {
      server.visits().map(PartitionVisit::progress).forEach(PartitionProgress::visitOthersAgain);
    }
  }

  private void reportFailing(ReadServer server, Throwable cause) {
    if (health.markFailing(server.server())) {
      LOG.warn(
          "server given up by a read application={} shuffle={} server={} reason={}",
          shuffle.getApplication(),
          shuffle.getShuffle(),
          server.name(),
          cause.getMessage());
    }
  }

  /**
   * Skips a server without an attempt, if other tasks gave it up and probed it recently, and
   * another server or local output may have its data. It is visited again before the read reports
   * missing blocks: in the second round, no server is skipped.
   *
   * @return whether the server was skipped
   */
  boolean skip(ReadServer server) {
    if (!health.isFailing(server.server())
        || !server.visits().allMatch(this::mayBePostponed)
        || health.mayProbe(server.server())) {
      return false;
    }
    visitOthersAgain(server);
    for (PartitionVisit visit : server.visits().toList()) {
      postpone(server, visit.progress());
      visit.progress().postponeServer();
    }
    giveUp(server, Reason.UNREACHABLE, "other tasks gave the server up");
    return true;
  }

  private boolean mayBePostponed(PartitionVisit visit) {
    return visit.progress().mayPostpone() && progress.mayBeElsewhere(visit);
  }

  private boolean limitedToOneAttempt(ReadServer server) {
    return server.isReplaced()
        || health.isGivenUp(server.server())
        || (server.isLeaving() && server.visits().allMatch(this::mayHaveMoved))
        || server
            .visits()
            .allMatch(
                visit ->
                    progress.hasCopies(visit)
                        || (retryPeriodSpent && progress.mayBeElsewhere(visit)));
  }

  /** Whether other servers are visited before a leaving server is visited again. */
  private boolean mayHaveMoved(PartitionVisit visit) {
    return visit.progress().mayPostpone() || updates.hasNewServers(visit.progress());
  }

  /**
   * Gives up a server with an overdue reply, if other replicas have all its blocks; returns whether
   * they do.
   */
  boolean giveUpIfReplicated(ReadServer server, long silentMs) {
    if (!server.visits().allMatch(progress::hasCopies)) {
      return false;
    }
    giveUp(server, Reason.UNREACHABLE, "no reply within " + silentMs + " ms");
    return true;
  }

  /** Gives up a server that sent nothing within the timeout. */
  void giveUpSilent(ReadServer server, long silentMs) {
    retryPeriodSpent = true;
    giveUp(server, Reason.UNREACHABLE, "no reply within " + silentMs + " ms");
  }

  /** Opens all visits of a server again, because its offsets are no longer valid. */
  void reopenAll(ReadServer server) {
    if (server.countRestart() > retry.maxAttempts()) {
      giveUp(
          server, Reason.LOST, "the offsets of the server changed " + server.restarts() + " times");
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

  /** Ends all visits at a server, for a reason; their partitions go to the next servers. */
  private void giveUp(ReadServer server, Reason reason, String detail) {
    List<PartitionVisit> visits = server.takeVisits();
    budget.dropAll(server);
    server.session().succeeded();
    for (PartitionVisit visit : visits) {
      progress.endVisit(visit, reason, detail);
    }
  }
}
