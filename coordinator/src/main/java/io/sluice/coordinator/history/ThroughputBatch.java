package io.sluice.coordinator.history;

import java.util.List;
import java.util.Map;

/**
 * Consecutive samples, oldest first. Immutable.
 *
 * @param cluster samples of the whole cluster
 * @param servers samples by server name; a server has no sample from before it was known
 */
public record ThroughputBatch(List<Throughput> cluster, Map<String, List<Throughput>> servers) {
  public ThroughputBatch {
    cluster = List.copyOf(cluster);
    servers = Map.copyOf(servers);
  }
}
