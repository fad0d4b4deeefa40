package io.sluice.client.read;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.read.MissingBlocks.Reason;
import java.util.ArrayList;
import java.util.List;

/**
 * Which partitions of a read are whole, where the others are asked for next, and which attempts are
 * missing. A partition is asked for at one server after the other, then at servers that the shuffle
 * has got meanwhile, then in local output. Belongs to the task thread.
 *
 * <pre>
 *  visitNext --&gt; at a server --endVisit--&gt; whole
 *      ^  |            |
 *      |  |            +--not whole--+
 *      |  +--no server left--&gt; waits for newer servers --onLearnt--+
 *      +------------------------------+---------------------------+
 *         +--none at all--&gt; local output --endLocally--&gt; whole, or missing
 * </pre>
 */
final class ReadProgress {
  private static final int MAX_NAMED_MISSING = 1000;

  private final ShuffleReadRequest request;
  private final ReadServers servers;
  private final LateServers late;
  private final LocalPieces local;
  private final List<MissingBlocks> missing = new ArrayList<>();
  private int partitionsLeft;

  ReadProgress(
      ShuffleReadRequest request, ReadServers servers, LateServers late, LocalPieces local) {
    this.request = request;
    this.servers = servers;
    this.late = late;
    this.local = local;
  }

  /** Sends every partition to its first server. */
  void start() {
    servers.add(request.assignment());
    for (ExpectedAttempts expected : request.expected()) {
      partitionsLeft++;
      visitNext(new PartitionProgress(expected, late.order(expected.partition())));
    }
  }

  /** Partitions that are not whole yet. */
  int partitionsLeft() {
    return partitionsLeft;
  }

  /** Sends a partition to its next server; after the last one to newer servers, then locally. */
  private void visitNext(PartitionProgress progress) {
    int server = progress.nextServer();
    if (server < 0 && late.extend(progress)) {
      server = progress.nextServer();
    }
    if (server >= 0) {
      ReadServer next = servers.get(server);
      next.open(new PartitionVisit(progress, next));
    } else if (mayRequestNewer(progress)) {
      late.request(progress);
    } else {
      local.want(progress, this::missing);
    }
  }

  /** Newer servers are not requested where local output has everything. */
  private boolean mayRequestNewer(PartitionProgress progress) {
    return late.mayRequest(progress) && !(request.isPushedLater() && progress.mayAllBeLocal(local));
  }

  /** Handles an answer with the newest assignment. */
  void onLearnt(ReadEvent.Learnt learnt) {
    if (late.isAnswer(learnt)) {
      endRequest(learnt.newest());
    }
  }

  /** Waits no longer for the newest assignment; false if nothing waited for it. */
  boolean endRequest() {
    if (!late.isAsking()) {
      return false;
    }
    endRequest(null);
    return true;
  }

  private void endRequest(ShuffleAssignment newest) {
    List<PartitionProgress> answered = late.end(newest);
    servers.add(late.assignment());
    answered.forEach(this::visitNext);
    late.sendWaiting();
  }

  /**
   * Leaves the last server before it is read, if what it lacks may be at a newer one; it is visited
   * again after the answer. False if that does not help.
   */
  boolean requestNewerFirst(PartitionVisit visit) {
    PartitionProgress progress = visit.progress();
    if (!mayRequestNewer(progress) || !progress.askAgain()) {
      return false;
    }
    visit.end();
    late.request(progress);
    return true;
  }

  /** Whether another location has copies of what a visit is for. */
  boolean hasCopies(PartitionVisit visit) {
    PartitionProgress progress = visit.progress();
    return progress.hasMoreCopies() || (request.isPushedLater() && progress.mayAllBeLocal(local));
  }

  /** Whether a location that was not asked yet might have what a visit is for. */
  boolean mayBeElsewhere(PartitionVisit visit) {
    PartitionProgress progress = visit.progress();
    return progress.hasMoreServers() || progress.mayAllBeLocal(local);
  }

  /** Whether an attempt may have local output. */
  boolean mayBeLocal(long mapAttempt) {
    return local.mayHave(mapAttempt);
  }

  /** A visit has got all that it can. */
  void endVisit(PartitionVisit visit) {
    if (visit.isEnded()) {
      return;
    }
    visit.end();
    visit.server().endVisit(visit);
    PartitionProgress progress = visit.progress();
    if (progress.isWhole()) {
      partitionsLeft--;
    } else {
      progress.failed(visit.server().name(), visit.shortfallReason(), visit.shortfallDetail());
      visitNext(progress);
    }
  }

  /** A visit gets nothing more, for a reason. */
  void endVisit(PartitionVisit visit, Reason reason, String detail) {
    visit.shortfall(reason, detail);
    endVisit(visit);
  }

  /** Local output has delivered all that it has of a partition. */
  void endLocally(PartitionProgress progress) {
    if (progress.isWhole()) {
      partitionsLeft--;
      return;
    }
    for (int place = 0; place < progress.expected().count(); place++) {
      if (!progress.received().isWhole(place)) {
        missing(progress.missing(place));
      }
    }
  }

  /** Notes blocks that are nowhere, up to a maximum number. */
  void missing(MissingBlocks blocks) {
    if (missing.size() < MAX_NAMED_MISSING) {
      missing.add(blocks);
    }
  }

  void throwIfMissing() throws BlocksMissingException {
    if (!missing.isEmpty()) {
      throw new BlocksMissingException(request.assignment().shuffle().getShuffle(), missing);
    }
  }
}
