package io.sluice.client.read;

import io.sluice.client.coordinator.ShuffleAssignment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Requests the newest assignment during a read, to find servers that were added since the read
 * began. A server may fail, or leave and move its data, while it is read. Partitions that are not
 * complete after all known servers wait here for the reply. One request is in flight at a time; its
 * reply is for the partitions that waited when it was sent. Owned by the task thread.
 *
 * <pre>
 *        request, onFirstFailure
 *  IDLE ------------------------&gt; IN FLIGHT
 *    ^                             |     ^
 *    +-- end: reply or timeout ----+     |
 *    +-- sendWaiting: partitions wait ---+
 * </pre>
 */
final class AssignmentUpdates {
  /**
   * Maximum number of requests per partition. Each one but the last found a server that did not
   * complete it either.
   */
  private static final int MAX_REQUESTS = 3;

  private final long firstGeneration;
  private final NewestAssignments source;
  private final int connectionSlot;
  private final String zone;
  private final Consumer<ReadEvent> events;
  private ShuffleAssignment assignment;
  private final Map<Integer, VisitOrder> orders = new HashMap<>();
  private List<PartitionProgress> waiting = new ArrayList<>();
  private List<PartitionProgress> requested = List.of();
  private boolean inFlight;
  private int request;

  /**
   * @param source source of assignments; null for none
   * @param connectionSlot selects the replica that is read first, of those in the zone
   * @param zone zone of this process; empty: not known
   * @param events receives every reply, on any thread
   */
  AssignmentUpdates(
      ShuffleAssignment assignment,
      NewestAssignments source,
      int connectionSlot,
      String zone,
      Consumer<ReadEvent> events) {
    this.firstGeneration = assignment.generation();
    this.assignment = assignment;
    this.source = source;
    this.connectionSlot = connectionSlot;
    this.zone = zone;
    this.events = events;
  }

  /** The newest assignment that is known. */
  ShuffleAssignment assignment() {
    return assignment;
  }

  /** The order in which the servers of a partition are visited. */
  VisitOrder order(int partition) {
    return orders.computeIfAbsent(
        assignment.rangeOf(partition),
        range -> VisitOrder.of(assignment, range, firstReplica(range)));
  }

  /** One of the replicas in the zone of this process; one of all if there is none. */
  private int firstReplica(int range) {
    int count = assignment.replicaCount(range);
    int[] near = IntStream.range(0, count).filter(replica -> isInZone(range, replica)).toArray();
    return near.length == 0
        ? Math.floorMod(connectionSlot, count)
        : near[Math.floorMod(connectionSlot, near.length)];
  }

  /** Whether the newest server of a replica, which normally has all its blocks, is in the zone. */
  private boolean isInZone(int range, int replica) {
    int newest = assignment.chainServer(range, replica, assignment.chainLength(range, replica) - 1);
    return !zone.isEmpty() && assignment.servers().get(newest).getZone().equals(zone);
  }

  /**
   * Adds the servers of the newest known assignment to a partition; returns whether there are new
   * ones.
   */
  boolean extend(PartitionProgress progress) {
    return assignment.generation() > firstGeneration
        && progress.extend(order(progress.partition()));
  }

  /** Whether the newest known assignment has servers that are not in the order of a partition. */
  boolean hasNewServers(PartitionProgress progress) {
    return assignment.generation() > firstGeneration
        && progress.isExtendedBy(order(progress.partition()));
  }

  /** Whether the newest assignment may still be requested for a partition. */
  boolean mayRequest(PartitionProgress progress) {
    return source != null && progress.assignmentRequests() < MAX_REQUESTS;
  }

  /** Makes a partition wait for the newest assignment. */
  void request(PartitionProgress progress) {
    progress.countAssignmentRequest();
    waiting.add(progress);
    sendIfIdle();
  }

  /** Requests the newest assignment after the first failure of a server, which may have left. */
  void onFirstFailure(ReadServer server) {
    if (source != null && !server.isReplaced() && !server.isLeaving()) {
      sendIfIdle();
    }
  }

  private void sendIfIdle() {
    if (inFlight) {
      return;
    }
    inFlight = true;
    requested = waiting;
    waiting = new ArrayList<>();
    int number = ++request;
    CompletionStage<ShuffleAssignment> unused =
        source
            .newest(assignment)
            .whenComplete(
                (newest, failure) -> events.accept(new ReadEvent.AssignmentReply(number, newest)));
  }

  /** Whether an event is the reply to the request in flight. */
  boolean isAnswer(ReadEvent.AssignmentReply reply) {
    return inFlight && reply.request() == request;
  }

  boolean isRequestInFlight() {
    return inFlight;
  }

  /**
   * Ends the request in flight. The caller then visits the next server of each returned partition,
   * and calls {@link #sendWaiting}.
   *
   * @param newest the reply; null if there was none
   * @return the partitions that waited for the reply
   */
  List<PartitionProgress> end(ShuffleAssignment newest) {
    inFlight = false;
    if (newest != null
        && newest.generation() > assignment.generation()
        && newest.shuffle().equals(assignment.shuffle())) {
      assignment = newest;
      orders.clear();
    }
    List<PartitionProgress> answered = requested;
    requested = List.of();
    for (PartitionProgress progress : answered) {
      if (!extend(progress)) {
        progress.endAssignmentRequests(MAX_REQUESTS);
      }
    }
    return answered;
  }

  /** Sends a request for partitions that began to wait during the last one. */
  void sendWaiting() {
    if (!waiting.isEmpty()) {
      sendIfIdle();
    }
  }
}
