package io.sluice.client.read;

import io.sluice.client.coordinator.ShuffleAssignment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Finds the servers that the shuffle has got since the read began, so that a server may leave, and
 * move its data, while it is read. Partitions that no known server has whole wait here for the
 * newest assignment. One request at a time is in flight; its answer serves the partitions that
 * waited before it was sent. Belongs to the task thread.
 */
final class LateServers {
  /** Per partition: each but the last has brought a server that did not have it whole either. */
  private static final int MAX_REQUESTS = 3;

  private final long firstGeneration;
  private final NewestAssignments source;
  private final int poolLane;
  private final Consumer<ReadEvent> events;
  private ShuffleAssignment assignment;
  private final Map<Integer, VisitOrder> orders = new HashMap<>();
  private List<PartitionProgress> waiting = new ArrayList<>();
  private List<PartitionProgress> asked = List.of();
  private boolean asking;
  private int request;

  /**
   * @param source null if there is none
   * @param poolLane chooses the replica to begin with
   * @param events receives every answer, on any thread
   */
  LateServers(
      ShuffleAssignment assignment,
      NewestAssignments source,
      int poolLane,
      Consumer<ReadEvent> events) {
    this.firstGeneration = assignment.generation();
    this.assignment = assignment;
    this.source = source;
    this.poolLane = poolLane;
    this.events = events;
  }

  /** The newest assignment that is known. */
  ShuffleAssignment assignment() {
    return assignment;
  }

  /** The order in which servers are asked for a partition. */
  VisitOrder order(int partition) {
    return orders.computeIfAbsent(
        assignment.rangeOf(partition),
        range ->
            VisitOrder.of(
                assignment, range, Math.floorMod(poolLane, assignment.replicaCount(range))));
  }

  /** Adds the servers that are known by now to a partition; whether there are new ones. */
  boolean extend(PartitionProgress progress) {
    return assignment.generation() > firstGeneration
        && progress.extend(order(progress.partition()));
  }

  /** Whether the newest assignment may still be requested for a partition. */
  boolean mayRequest(PartitionProgress progress) {
    return source != null && progress.questions() < MAX_REQUESTS;
  }

  /** Lets a partition wait for the newest assignment. */
  void request(PartitionProgress progress) {
    progress.countQuestion();
    waiting.add(progress);
    sendIfIdle();
  }

  /** A server fails for the first time: it may have left, and have a replacement. */
  void suspect(ReadServer server) {
    if (source != null && !server.isReplaced()) {
      sendIfIdle();
    }
  }

  private void sendIfIdle() {
    if (asking) {
      return;
    }
    asking = true;
    asked = waiting;
    waiting = new ArrayList<>();
    int number = ++request;
    CompletionStage<ShuffleAssignment> unused =
        source
            .newest(assignment)
            .whenComplete((newest, failure) -> events.accept(new ReadEvent.Learnt(number, newest)));
  }

  /** Whether an event answers the request in flight. */
  boolean isAnswer(ReadEvent.Learnt learnt) {
    return asking && learnt.question() == request;
  }

  boolean isAsking() {
    return asking;
  }

  /**
   * Ends the request in flight. Afterwards the caller sends each returned partition to its next
   * server, and calls {@link #sendWaiting}.
   *
   * @param newest null if there was no answer
   * @return the partitions that waited for it
   */
  List<PartitionProgress> end(ShuffleAssignment newest) {
    asking = false;
    if (newest != null
        && newest.generation() > assignment.generation()
        && newest.shuffle().equals(assignment.shuffle())) {
      assignment = newest;
      orders.clear();
    }
    List<PartitionProgress> answered = asked;
    asked = List.of();
    for (PartitionProgress progress : answered) {
      if (!extend(progress)) {
        progress.endQuestions(MAX_REQUESTS);
      }
    }
    return answered;
  }

  /** Requests again for partitions that began to wait meanwhile. */
  void sendWaiting() {
    if (!waiting.isEmpty()) {
      sendIfIdle();
    }
  }
}
