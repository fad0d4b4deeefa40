package io.sluice.coordinator.assign;

import io.sluice.coordinator.cluster.Server;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which servers hold which partitions of one shuffle.
 *
 * @param servers those that take part
 * @param ranges contiguous, ascending, covering every partition; neighbours differ in their servers
 * @param replicas copies that every partition has: what was asked for, or fewer if there are not
 *     enough servers
 */
public record Assignment(List<Server> servers, List<Range> ranges, int replicas) {

  /**
   * Partitions {@code first..last}, both included.
   *
   * @param servers indexes into {@link Assignment#servers}, one per copy, distinct
   */
  public record Range(int first, int last, List<Integer> servers) {
    public int length() {
      return last - first + 1;
    }
  }

  /** Partitions that each server got, copies counted. */
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
