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
 * Changes the assignment like a driver, with spare servers in order. Answers at once, or when the
 * test requests it. Thread-safe by one lock.
 */
final class FakeDriver implements ReplacementServers {
  private final FakeCluster cluster;
  private final Deque<Integer> spares = new ArrayDeque<>();
  private final List<String> asked = new ArrayList<>();
  private final Deque<Runnable> delayed = new ArrayDeque<>();
  private ShuffleAssignment newest;
  private boolean delaying;

  FakeDriver(FakeCluster cluster, ShuffleAssignment start, Integer... spares) {
    this.cluster = cluster;
    this.newest = start;
    this.spares.addAll(List.of(spares));
  }

  /** Delays answers until {@link #answerAll}. */
  synchronized void delayAnswers() {
    delaying = true;
  }

  synchronized void answerOne() {
    if (!delayed.isEmpty()) {
      delayed.remove().run();
    }
  }

  synchronized void answerAll() {
    delaying = false;
    while (!delayed.isEmpty()) {
      answerOne();
    }
  }

  synchronized ShuffleAssignment newest() {
    return newest;
  }

  /** All requests, such as {@code FAILED server-0 []}. */
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
    if (delaying) {
      delayed.add(answering);
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
