package io.sluice.coordinator.history;

import java.time.Instant;
import java.util.Map;

/**
 * A shuffle and the servers of its partitions.
 *
 * @param partitionsByServer number of partitions by server, replicas counted, replacement and
 *     additional servers included
 * @param replicas replicas of each partition in the latest assignment
 * @param assignments number of assignments; more than one after failures
 * @param assignedAt time of the first assignment
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
