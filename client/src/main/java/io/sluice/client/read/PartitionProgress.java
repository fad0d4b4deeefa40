package io.sluice.client.read;

import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.client.read.VisitFailures.VisitFailure;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Progress of one partition in a read: which blocks have arrived, which servers were visited, and
 * why they did not complete it. The partition is whole when every expected attempt is whole. Owned
 * by the task thread.
 *
 * <p>Servers are visited in this order ({@link #nextServer}):
 *
 * <pre>
 *  first round:   every server of the visit order, once
 *                   postponeServer: visit the current server once more in the second round
 *                   visitOthersAgain: visit all servers that answered once more, too
 *  second round:  the postponed servers, with the full retry period
 *                   visitOthersAgain: as before, once for each server
 *  extend:        a newer assignment added servers; back to the first round for these
 *  undoNextServer: visit the current server again, as if it had not been visited
 *  -1:            no server left; the caller requests a newer assignment or reads local output
 * </pre>
 *
 * <p>Invariants: {@code visits} is the number of servers of the visit order that were visited in
 * the first round; there, the current server has index {@code visits - 1} in it. In the second
 * round no server is postponed.
 */
final class PartitionProgress {
  private final ExpectedAttempts expected;
  private VisitOrder order;
  private final ReceivedBlocks received;
  private final ReceivedBlocks delivered;
  private final ReceiptChecks receipts = new ReceiptChecks();
  private final PendingBlocks pending = new PendingBlocks();
  private int visits;
  private int current;
  private int assignmentRequests;
  // Servers to visit in the second round; null if none was ever postponed.
  private Deque<Integer> postponed;
  private boolean inSecondRound;
  // Servers after which the others were visited again in the second round; null if there is none.
  private Set<Integer> gone;
  private final VisitFailures failures = new VisitFailures();
  // Batches of which the first blocks have arrived, by attempt index.
  private Map<Integer, InOrder.PartialBatch> partialBatches;
  // A server that has lost blocks of the partition, and its replica slot; null if there is none.
  private ReadServer lossy;
  private int lossyReplica;
  private boolean localChecked;
  private boolean allLocal;
  // Results of local output for attempts that it did not complete, by attempt index.
  private Map<Integer, LocalResult> local;

  private record LocalResult(Reason reason, String detail) {}

  /**
   * @param holdsBlocks whether blocks that have arrived may have to wait before they are delivered
   */
  PartitionProgress(ExpectedAttempts expected, VisitOrder order, boolean holdsBlocks) {
    this.expected = expected;
    this.order = order;
    this.received = new ReceivedBlocks(expected.count());
    this.delivered = holdsBlocks ? new ReceivedBlocks(expected.count()) : received;
  }

  int partition() {
    return expected.partition();
  }

  ExpectedAttempts expected() {
    return expected;
  }

  VisitOrder order() {
    return order;
  }

  ReceivedBlocks received() {
    return received;
  }

  /**
   * Blocks that were added to the {@link DeliveryOrder}: without those that {@link MapOrder} holds.
   * The same object as {@link #received} if no blocks are held.
   */
  ReceivedBlocks delivered() {
    return delivered;
  }

  ReceiptChecks receipts() {
    return receipts;
  }

  PendingBlocks pending() {
    return pending;
  }

  boolean isWhole() {
    return received.isWhole();
  }

  /** The incomplete batch of an attempt, or null. */
  InOrder.PartialBatch partialBatch(int attemptIndex) {
    return partialBatches == null ? null : partialBatches.get(attemptIndex);
  }

  void startPartialBatch(int attemptIndex, InOrder.PartialBatch started) {
    if (partialBatches == null) {
      partialBatches = new HashMap<>();
    }
    partialBatches.put(attemptIndex, started);
  }

  void endPartialBatch(int attemptIndex) {
    partialBatches.remove(attemptIndex);
  }

  /** Returns the index of the server to visit next; -1 if none is left. */
  int nextServer() {
    if (visits < order.count()) {
      current = order.server(visits++);
    } else {
      inSecondRound = true;
      current = postponed == null || postponed.isEmpty() ? -1 : postponed.removeFirst();
    }
    return current;
  }

  /** Whether another visit order has servers that are not in the one of this partition. */
  boolean isExtendedBy(VisitOrder wider) {
    return order.followedBy(wider).count() > order.count();
  }

  /**
   * Appends servers of a newer assignment that are not in the visit order.
   *
   * @param wider visit order of the newer assignment
   * @return whether there are new servers
   */
  boolean extend(VisitOrder wider) {
    VisitOrder longer = order.followedBy(wider);
    if (longer.count() == order.count()) {
      return false;
    }
    order = longer;
    inSecondRound = false;
    return true;
  }

  /** Makes the current server the next one again. */
  void undoNextServer() {
    if (inSecondRound) {
      postponed.addFirst(current);
    } else {
      visits--;
    }
  }

  /** The servers visited so far, by their indexes in the assignment. */
  IntStream visited() {
    return IntStream.range(0, visits).map(order::server).distinct();
  }

  /** Number of requests for a newer assignment. */
  int assignmentRequests() {
    return assignmentRequests;
  }

  void countAssignmentRequest() {
    assignmentRequests++;
  }

  /** Allows no more requests for a newer assignment, of which {@code most} are allowed. */
  void endAssignmentRequests(int most) {
    assignmentRequests = most;
  }

  /**
   * Postpones the current server to the second round, after at most one attempt, because other
   * servers may have all blocks. They may not: a replica lacks the frames that reached the write
   * quorum without it. Has no effect in the second round.
   */
  void postponeServer() {
    if (!inSecondRound) {
      postpone(current);
    }
  }

  /** Whether {@link #postponeServer} has an effect: the current server would be visited again. */
  boolean mayPostpone() {
    return !inSecondRound;
  }

  /**
   * The current server has lost its data since the assignment, moves it, or was given up by map
   * tasks. Maybe it has left, and has moved its data to a server that answered before: all of those
   * are visited once more. In the second round, each server has this effect once.
   */
  void visitOthersAgain() {
    if (inSecondRound) {
      if (gone == null) {
        gone = new HashSet<>(1);
      }
      if (!gone.add(current)) {
        return;
      }
    }
    for (int position = 0; position < visits; position++) {
      int server = order.server(position);
      if (server != current && !failures.isSilent(server)) {
        postpone(server);
      }
    }
  }

  private void postpone(int server) {
    if (postponed == null) {
      postponed = new ArrayDeque<>(1);
    }
    if (!postponed.contains(server)) {
      postponed.addLast(server);
    }
  }

  /** Records that the current server has lost blocks. */
  void lostAt(ReadServer server) {
    if (lossy == null && !inSecondRound) {
      lossy = server;
      lossyReplica = order.replica(visits - 1);
    }
  }

  /**
   * The server that has lost blocks of which the current server has copies; null if there is none.
   */
  ReadServer serverToRepair() {
    return lossy == null || inSecondRound || order.replica(visits - 1) == lossyReplica
        ? null
        : lossy;
  }

  /** Whether another server will be visited if the current one does not complete the partition. */
  boolean hasMoreServers() {
    return visits < order.count() || (postponed != null && !postponed.isEmpty());
  }

  /** Whether a server of another replica is still to be visited in the first round. */
  boolean hasOtherReplica() {
    return !inSecondRound && order.hasOtherReplicaAfter(visits - 1);
  }

  /**
   * Whether every expected attempt may have local output.
   *
   * @param output the same object at each call
   */
  boolean mayAllBeLocal(LocalPieces output) {
    if (!localChecked) {
      localChecked = true;
      allLocal = true;
      for (int attemptIndex = 0; attemptIndex < expected.count() && allLocal; attemptIndex++) {
        allLocal = output.mayHave(expected.attempt(attemptIndex));
      }
    }
    return allLocal;
  }

  /** Records that the current server did not complete the partition. */
  void failed(ReadServer server, Reason why, String detail) {
    failures.add(current, server, why, detail);
  }

  /** Records that local output did not complete an attempt. */
  void failedLocally(int attemptIndex, boolean damaged, String detail) {
    if (local == null) {
      local = new HashMap<>();
    }
    local.put(
        attemptIndex, new LocalResult(damaged ? Reason.CORRUPT : Reason.NEVER_WRITTEN, detail));
  }

  /** Describes an attempt of which a received block cannot be decompressed. */
  MissingBlocks undecodable(int attemptIndex, String problem) {
    return new MissingBlocks(
        partition(),
        expected.attempt(attemptIndex),
        expected.mapIndex(attemptIndex),
        Reason.CORRUPT,
        failures.answers(),
        problem);
  }

  /** Describes an attempt whose records do not match its receipt. */
  MissingBlocks mismatch(int attemptIndex, List<MissingBlocks.Answer> from, String difference) {
    return new MissingBlocks(
        partition(),
        expected.attempt(attemptIndex),
        expected.mapIndex(attemptIndex),
        Reason.MISMATCH,
        from,
        difference);
  }

  /** Describes the missing blocks of an attempt. */
  MissingBlocks missing(int attemptIndex) {
    VisitFailure remote = failures.mostSpecific();
    LocalResult answer = local == null ? null : local.get(attemptIndex);
    boolean localIsMoreSpecific =
        answer != null
            && VisitFailures.weight(answer.reason) > VisitFailures.weight(remote.reason());
    return new MissingBlocks(
        partition(),
        expected.attempt(attemptIndex),
        expected.mapIndex(attemptIndex),
        localIsMoreSpecific ? answer.reason : remote.reason(),
        failures.answers(),
        answer == null ? remote.detail() : remote.detail() + "; local output: " + answer.detail);
  }
}
