package io.sluice.client.read;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.read.MissingBlocks.Reason;
import java.util.ArrayList;
import java.util.List;

/**
 * Where each partition of a read stands: which are whole, which server each other one is visited at
 * next, and which blocks are missing. A partition is visited at one server after the other, then at
 * servers that a newer assignment adds, then in local output. Owned by the task thread; the state
 * of one partition is in {@link PartitionProgress}.
 *
 * <pre>
 *               server left              endVisit
 *  visitNext ---------------&gt; VISITING ------------&gt; WHOLE
 *   ^  |  |                       |
 *   +--|--|----- not whole -------+
 *   |  |  |
 *   |  |  | no server left, but an assignment may be newer
 *   |  |  +-----------------&gt; WAITING FOR ASSIGNMENT
 *   |  |                          |
 *   +--|-- onAssignmentReply -----+
 *      |
 *      | no server and no newer assignment
 *      +--------------------&gt; LOCAL OUTPUT --endLocally--&gt; WHOLE, or its blocks are missing
 * </pre>
 */
final class ReadProgress {
  private static final int MAX_NAMED_MISSING = 1000;

  private final ShuffleReadRequest request;
  private final ReadServers servers;
  private final AssignmentUpdates updates;
  private final LocalPieces local;
  private final boolean holdsBlocks;
  private final List<MissingBlocks> missing = new ArrayList<>();
  private int partitionsLeft;

  /**
   * @param holdsBlocks whether the read delivers blocks in map order
   */
  ReadProgress(
      ShuffleReadRequest request,
      ReadServers servers,
      AssignmentUpdates updates,
      LocalPieces local,
      boolean holdsBlocks) {
    this.request = request;
    this.servers = servers;
    this.updates = updates;
    this.local = local;
    this.holdsBlocks = holdsBlocks;
  }

  /** Starts the first visit of every partition. */
  void start() {
    servers.add(request.assignment());
    for (ExpectedAttempts expected : request.expected()) {
      partitionsLeft++;
      visitNext(new PartitionProgress(expected, updates.order(expected.partition()), holdsBlocks));
    }
  }

  /** Number of partitions that are not whole. */
  int partitionsLeft() {
    return partitionsLeft;
  }

  /**
   * Visits the next server of a partition; after the last one, servers of a newer assignment, then
   * local output.
   */
  private void visitNext(PartitionProgress progress) {
    int server = progress.nextServer();
    if (server < 0 && updates.extend(progress)) {
      server = progress.nextServer();
    }
    if (server >= 0) {
      ReadServer next = servers.get(server);
      next.open(new PartitionVisit(progress, next));
    } else if (mayRequestNewer(progress)) {
      updates.request(progress);
    } else {
      local.addIncomplete(progress, this::missing);
    }
  }

  /** Whether to request a newer assignment: not if local output has all blocks of the partition. */
  private boolean mayRequestNewer(PartitionProgress progress) {
    return updates.mayRequest(progress)
        && !(request.isPushedInBackground() && progress.mayAllBeLocal(local));
  }

  /** Handles a reply with the newest assignment. */
  void onAssignmentReply(ReadEvent.AssignmentReply reply) {
    if (updates.isAnswer(reply)) {
      endRequest(reply.newest());
    }
  }

  /** Stops waiting for the newest assignment; false if no request is in flight. */
  boolean endRequest() {
    if (!updates.isRequestInFlight()) {
      return false;
    }
    endRequest(null);
    return true;
  }

  private void endRequest(ShuffleAssignment newest) {
    List<PartitionProgress> answered = updates.end(newest);
    servers.add(updates.assignment());
    answered.forEach(this::visitNext);
    updates.sendWaiting();
  }

  /**
   * Postpones the visit of the last server until the newest assignment is known, which may add a
   * server. Returns false if no request is possible.
   */
  boolean requestNewerFirst(PartitionVisit visit) {
    PartitionProgress progress = visit.progress();
    if (!mayRequestNewer(progress)) {
      return false;
    }
    progress.undoNextServer();
    visit.end();
    updates.request(progress);
    return true;
  }

  /** Whether another replica, or local output, has copies of the blocks that a visit reads. */
  boolean hasCopies(PartitionVisit visit) {
    PartitionProgress progress = visit.progress();
    return progress.hasOtherReplica()
        || (request.isPushedInBackground() && progress.mayAllBeLocal(local));
  }

  /**
   * Whether a server that was not visited yet, or local output, may have the blocks that a visit
   * reads.
   */
  boolean mayBeElsewhere(PartitionVisit visit) {
    PartitionProgress progress = visit.progress();
    return progress.hasMoreServers() || progress.mayAllBeLocal(local);
  }

  /** Whether an attempt may have local output. */
  boolean mayBeLocal(long mapAttempt) {
    return local.mayHave(mapAttempt);
  }

  /** Ends a visit, and starts the next one if the partition is not whole. */
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
      progress.failed(visit.server(), visit.shortfallReason(), visit.shortfallDetail());
      visitNext(progress);
    }
  }

  /** Ends a visit for a reason, which is reported if blocks stay missing. */
  void endVisit(PartitionVisit visit, Reason reason, String detail) {
    visit.shortfall(reason, detail);
    endVisit(visit);
  }

  /**
   * Local output is read completely: the attempts of the partition that are still incomplete are
   * missing.
   */
  void endLocally(PartitionProgress progress) {
    if (progress.isWhole()) {
      partitionsLeft--;
      return;
    }
    for (int attemptIndex = 0; attemptIndex < progress.expected().count(); attemptIndex++) {
      if (!progress.received().isWhole(attemptIndex)) {
        missing(progress.missing(attemptIndex));
      }
    }
  }

  /** Records missing blocks, up to a maximum number. */
  void missing(MissingBlocks blocks) {
    if (missing.size() < MAX_NAMED_MISSING) {
      missing.add(blocks);
    }
  }

  /**
   * Records an attempt whose records do not match its receipt, with the sources from which its
   * blocks may have come.
   */
  void mismatch(PartitionProgress progress, int attemptIndex, String difference) {
    List<MissingBlocks.Answer> answers = new ArrayList<>();
    progress
        .visited()
        .forEach(
            server ->
                answers.add(new MissingBlocks.Answer(servers.get(server).name(), Reason.MISMATCH)));
    boolean isLocal = local.mayHave(progress.expected().attempt(attemptIndex));
    missing.add(
        progress.mismatch(
            attemptIndex, answers, difference + (isLocal ? " (servers or local output)" : "")));
  }

  void throwIfMissing() throws BlocksMissingException {
    if (!missing.isEmpty()) {
      throw new BlocksMissingException(request.assignment().shuffle().getShuffle(), missing);
    }
  }
}
