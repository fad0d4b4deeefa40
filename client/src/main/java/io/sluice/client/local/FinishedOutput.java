package io.sluice.client.local;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.ReplacementServers;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/**
 * Describes the finished local output of a map attempt: a file of sealed, adjacent blocks, sorted
 * by partition. Small for any size of the output, because many of them wait at a time.
 *
 * @param data the file; if it is deleted before the push, the output is skipped
 * @param lengths reads the number of bytes of each partition
 * @param replacementServers source of servers after one fails or is full; null for none
 * @param wanted whether the shuffle may still be read; called on a push thread before the push;
 *     returns within a bounded time
 */
public record FinishedOutput(
    ShuffleAssignment assignment,
    MapAttempt attempt,
    Path data,
    PartitionLengths lengths,
    ReplacementServers replacementServers,
    BooleanSupplier wanted) {

  int shuffle() {
    return assignment.shuffle().getShuffle();
  }
}
