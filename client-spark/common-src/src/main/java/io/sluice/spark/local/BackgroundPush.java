package io.sluice.spark.local;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.local.BackgroundPusher;
import io.sluice.client.local.FinishedOutput;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.ReplacementServers;
import java.util.function.IntPredicate;

/**
 * Executor: queues committed local output for the background push. Thread-safe.
 *
 * @param pusher borrows
 * @param files local output files of this process
 * @param replacementServers asked for another server when one fails or is full; null for none
 * @param active whether a stage may still read a shuffle
 */
public record BackgroundPush(
    BackgroundPusher pusher,
    LocalMapFiles files,
    ReplacementServers replacementServers,
    IntPredicate active) {
  /** Queues the output of an attempt. Never blocks. */
  public void add(ShuffleAssignment assignment, MapAttempt attempt) {
    int shuffle = assignment.shuffle().getShuffle();
    pusher.add(
        new FinishedOutput(
            assignment,
            attempt,
            files.data(shuffle, attempt.id()),
            new IndexFile(files.index(shuffle, attempt.id()), assignment.partitionCount()),
            replacementServers,
            () -> active.test(shuffle)));
  }
}
