package io.sluice.coordinator.history;

import java.time.Instant;
import java.util.Map;

/**
 * A shuffle and where its partitions went.
 *
 * @param partitionsByServer copies counted; servers that were added later included
 * @param replicas copies of each partition at the latest assignment
 * @param assignments how often servers were given out for it: more than once after losses
 * @param assignedAt the first time
 */
public record AssignedShuffle(
    String application,
    int shuffle,
    int partitions,
    int replicas,
    Map<String, Integer> partitionsByServer,
    int assignments,
    Instant assignedAt) {
  public AssignedShuffle {
    partitionsByServer = Map.copyOf(partitionsByServer);
  }
}
