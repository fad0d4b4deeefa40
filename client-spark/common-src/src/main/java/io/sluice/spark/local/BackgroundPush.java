package io.sluice.spark.local;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.local.BackgroundPusher;
import io.sluice.client.local.FinishedOutput;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.ReplacementServers;
import java.util.function.IntPredicate;

/**
 * Executor: has committed local output pushed behind its task. Thread-safe.
 *
 * @param pusher borrows
 * @param files where local output lies
 * @param replacementServers where to ask when a server fails or is full; null: nowhere
 * @param wanted whether anybody may still read a shuffle
 */
public record BackgroundPush(
    BackgroundPusher pusher,
    LocalMapFiles files,
    ReplacementServers replacementServers,
    IntPredicate wanted) {
  /** Never waits. */
  public void add(ShuffleAssignment assignment, MapAttempt attempt) {
    int shuffle = assignment.shuffle().getShuffle();
    pusher.add(
        new FinishedOutput(
            assignment,
            attempt,
            files.data(shuffle, attempt.id()),
            new IndexFile(files.index(shuffle, attempt.id()), assignment.partitionCount()),
            replacementServers,
            () -> wanted.test(shuffle)));
  }
}
