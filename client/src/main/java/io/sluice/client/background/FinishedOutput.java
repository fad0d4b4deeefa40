package io.sluice.client.background;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.MapAttempt;
import java.nio.file.Path;

/**
 * The output of a map attempt, whole in a local file: sealed blocks by ascending partition, back to
 * back. Small, however large the output is: many of them wait at a time.
 *
 * @param data the file; may be gone when its turn comes, and is then passed over
 * @param lengths where to learn how many bytes each partition has there
 */
public record FinishedOutput(
    ShuffleAssignment assignment, MapAttempt attempt, Path data, PartitionLengths lengths) {

  int shuffle() {
    return assignment.shuffle().getShuffle();
  }
}
