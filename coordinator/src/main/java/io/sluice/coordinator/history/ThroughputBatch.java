package io.sluice.coordinator.history;

import java.util.List;
import java.util.Map;

/**
 * Samples that were taken one after the other, oldest first. Immutable.
 *
 * @param cluster of the whole cluster
 * @param servers by name; a server that was not known at a sample has none of it
 */
public record ThroughputBatch(List<Throughput> cluster, Map<String, List<Throughput>> servers) {
  public ThroughputBatch {
    cluster = List.copyOf(cluster);
    servers = Map.copyOf(servers);
  }
}
