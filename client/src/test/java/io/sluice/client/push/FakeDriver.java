package io.sluice.client.push;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Changes the assignment as a driver does, with spare servers given out one after the other.
 * Answers at once, or when told to. Thread-safe by one lock.
 */
final class FakeDriver implements ReplacementServers {
  private final FakeCluster cluster;
  private final Deque<Integer> spares = new ArrayDeque<>();
  private final List<String> asked = new ArrayList<>();
  private final Deque<Runnable> held = new ArrayDeque<>();
  private ShuffleAssignment newest;
  private boolean holding;

  FakeDriver(FakeCluster cluster, ShuffleAssignment start, Integer... spares) {
    this.cluster = cluster;
    this.newest = start;
    this.spares.addAll(List.of(spares));
  }

  /** Keeps answers back until {@link #answerAll}. */
  synchronized void hold() {
    holding = true;
  }

  synchronized void answerOne() {
    if (!held.isEmpty()) {
      held.remove().run();
    }
  }

  synchronized void answerAll() {
    holding = false;
    while (!held.isEmpty()) {
      answerOne();
    }
  }

  synchronized ShuffleAssignment newest() {
    return newest;
  }

  /** What was asked, as {@code FAILED server-0 []}. */
  synchronized List<String> asked() {
    return List.copyOf(asked);
  }

  @Override
  public synchronized CompletionStage<ShuffleAssignment> replace(
      ShuffleAssignment known, String server, Cause cause, List<Integer> partitions) {
    asked.add(cause + " " + server + " " + partitions);
    CompletableFuture<ShuffleAssignment> answer = new CompletableFuture<>();
    Runnable answering =
        () -> {
          change(server, cause, partitions);
          answer.complete(newest);
        };
    if (holding) {
      held.add(answering);
    } else {
      answering.run();
    }
    return answer;
  }

  synchronized void change(String server, Cause cause, List<Integer> partitions) {
    boolean needed =
        cause == Cause.FAILED
            ? !newest.hasReplaced(server)
            : !newest.pushedTo(server, partitions).isEmpty();
    if (!needed || spares.isEmpty()) {
      return;
    }
    int spare = spares.peek();
    if (cluster.server(spare).id().getName().equals(server)
        || newest.hasReplaced(cluster.server(spare).id().getName())) {
      spares.remove();
      change(server, cause, partitions);
      return;
    }
    newest =
        cause == Cause.FAILED
            ? newest.replaceFailed(server, cluster.server(spares.remove()).id())
            : newest.replaceFull(
                server,
                partitions.stream().mapToInt(Integer::intValue).toArray(),
                cluster.server(spare).id());
  }
}
