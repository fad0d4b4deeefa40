package io.sluice.client.local;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.ReplacementServers;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/**
 * The output of a map attempt, whole in a local file: sealed blocks by ascending partition, back to
 * back. Small, however large the output is: many of them wait at a time.
 *
 * @param data the file; may be gone when its turn comes, and is then passed over
 * @param lengths where to learn how many bytes each partition has there
 * @param replacementServers where to ask when a server fails or is full; null: nowhere
 * @param wanted asked when its turn comes, on a pusher's thread, whether anybody may still read it;
 *     answers within a bounded time
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
