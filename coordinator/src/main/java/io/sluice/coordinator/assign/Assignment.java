package io.sluice.coordinator.assign;

import io.sluice.coordinator.cluster.Server;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Servers of each partition of one shuffle.
 *
 * @param servers all servers of the shuffle
 * @param ranges contiguous, ascending, covering every partition; neighbours differ in their servers
 * @param replicas replicas of every partition: the requested number, or fewer if there are too few
 *     servers
 */
public record Assignment(List<Server> servers, List<Range> ranges, int replicas) {

  /**
   * Partitions {@code first..last}, both inclusive.
   *
   * @param servers distinct indexes into {@link Assignment#servers}, one per replica
   */
  public record Range(int first, int last, List<Integer> servers) {
    public int length() {
      return last - first + 1;
    }
  }

  /** Returns the number of partitions by server, replicas counted. */
  public Map<String, Integer> partitionsByServer() {
    Map<String, Integer> partitions = new LinkedHashMap<>();
    for (Range range : ranges) {
      for (int server : range.servers()) {
        partitions.merge(servers.get(server).name(), range.length(), Integer::sum);
      }
    }
    return partitions;
  }
}
