package io.sluice.client.read;

import io.sluice.client.coordinator.ShuffleAssignment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * Servers that the shuffle has got since the read began, so that a server may leave, and hand on
 * what it had, while it is read. Partitions that no known server has whole wait here for the newest
 * assignment; one question at a time is on its way, and answers for those that waited before it was
 * asked. Owned by the task thread.
 */
final class LateServers {
  /** Of one partition: each but the last has brought a server that did not have it whole either. */
  private static final int MAX_QUESTIONS = 3;

  private final ReadState state;
  private final NewestAssignments source;
  private final int poolLane;
  private ShuffleAssignment assignment;
  private final Map<Integer, VisitOrder> orders = new HashMap<>();
  private List<PartitionProgress> waiting = new ArrayList<>();
  private List<PartitionProgress> asked = List.of();
  private boolean asking;
  private int question;

  /**
   * @param source null: there is nobody to ask
   * @param poolLane by which the replica slot to begin with is chosen
   */
  LateServers(
      ReadState state, ShuffleAssignment assignment, NewestAssignments source, int poolLane) {
    this.state = state;
    this.assignment = assignment;
    this.source = source;
    this.poolLane = poolLane;
  }

  VisitOrder order(int partition) {
    return orders.computeIfAbsent(
        assignment.rangeOf(partition),
        range ->
            VisitOrder.of(
                assignment, range, Math.floorMod(poolLane, assignment.replicaCount(range))));
  }

  /** Adds servers that are known by now; whether there are any. */
  boolean extend(PartitionProgress progress) {
    return assignment.generation() > state.request.assignment().generation()
        && progress.extend(order(progress.partition()));
  }

  /** Whether a partition is to wait for an answer; not where local output has everything. */
  boolean mayHelp(PartitionProgress progress) {
    return source != null
        && progress.questions() < MAX_QUESTIONS
        && !(state.request.isPushedLater() && progress.mayAllBeLocal(state.local));
  }

  void ask(PartitionProgress progress) {
    progress.countQuestion();
    waiting.add(progress);
    if (!asking) {
      send();
    }
  }

  /** A server fails for the first time: it may have left, and somebody may know. */
  void suspect(ReadLane lane) {
    if (source != null && !asking && !lane.isReplaced()) {
      send();
    }
  }

  private void send() {
    asking = true;
    asked = waiting;
    waiting = new ArrayList<>();
    int number = ++question;
    CompletionStage<ShuffleAssignment> unused =
        source
            .newest(assignment)
            .whenComplete(
                (newest, failure) -> state.mailbox.put(new ReadEvent.Learnt(number, newest)));
  }

  void on(ReadEvent.Learnt learnt) {
    if (asking && learnt.question() == question) {
      take(learnt.newest());
    }
  }

  /** Waits no longer; whether it waited. */
  boolean giveUp() {
    if (!asking) {
      return false;
    }
    take(null);
    return true;
  }

  private void take(ShuffleAssignment newest) {
    asking = false;
    if (newest != null
        && newest.generation() > assignment.generation()
        && newest.shuffle().equals(assignment.shuffle())) {
      assignment = newest;
      orders.clear();
      state.addLanes(newest);
    }
    List<PartitionProgress> answered = asked;
    asked = List.of();
    for (PartitionProgress progress : answered) {
      if (!extend(progress)) {
        progress.endQuestions(MAX_QUESTIONS);
      }
      state.visitNext(progress);
    }
    if (!waiting.isEmpty() && !asking) {
      send();
    }
  }
}
