package io.sluice.client.push;

import io.sluice.client.coordinator.ShuffleAssignment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The different sets of servers that store the replicas of the ranges of a shuffle. Partitions
 * whose replicas are on one set can share frames. Immutable.
 */
final class ReplicaSets implements FrameSets {
  private final ShuffleAssignment assignment;
  private final int[] setOfRange;
  private final int[][] serversOfSet;
  private final int[] lastPartitionOfSet;

  ReplicaSets(ShuffleAssignment assignment) {
    this.assignment = assignment;
    Map<String, Integer> numbers = new HashMap<>();
    int[] ofRange = new int[assignment.rangeCount()];
    int[][] servers = new int[assignment.rangeCount()][];
    for (int range = 0; range < ofRange.length; range++) {
      int[] members = members(range);
      Integer known = numbers.putIfAbsent(Arrays.toString(members), numbers.size());
      ofRange[range] = known == null ? numbers.size() - 1 : known;
      servers[ofRange[range]] = members;
    }
    this.setOfRange = ofRange;
    this.serversOfSet = Arrays.copyOf(servers, numbers.size());
    this.lastPartitionOfSet = new int[serversOfSet.length];
    for (int range = 0; range < ofRange.length; range++) {
      lastPartitionOfSet[ofRange[range]] = assignment.lastPartition(range);
    }
  }

  private int[] members(int range) {
    int[] members = new int[assignment.replicaCount(range)];
    for (int replica = 0; replica < members.length; replica++) {
      members[replica] = assignment.serverIndex(range, replica);
    }
    Arrays.sort(members);
    return members;
  }

  @Override
  public int count() {
    return serversOfSet.length;
  }

  @Override
  public int setOf(int partition) {
    return setOfRange[assignment.rangeOf(partition)];
  }

  @Override
  public int lastPartition(int set) {
    return lastPartitionOfSet[set];
  }

  /**
   * Indexes of the set's servers in the assignment, one per replica, ascending. A server is there
   * twice if it replaced the server of another replica, because no other server was available. Not
   * to be changed.
   */
  int[] servers(int set) {
    return serversOfSet[set];
  }
}
