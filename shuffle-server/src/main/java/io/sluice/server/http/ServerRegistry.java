package io.sluice.server.http;

import io.netty.buffer.PooledByteBufAllocator;
import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.sluice.metrics.Metric;
import io.sluice.metrics.ProcessMetrics;
import io.sluice.server.observe.Latencies;
import java.util.List;
import java.util.stream.Stream;

/** All metrics of a shuffle server. */
public final class ServerRegistry {
  private static final ProcessMetrics PROCESS = new ProcessMetrics(ServerMetrics.PREFIX);

  private ServerRegistry() {}

  /** All metrics of Sluice, without those of the JVM. */
  public static List<Metric> metrics() {
    return Stream.of(
            ServerMetrics.metrics(),
            Latencies.metrics(),
            TenantMetrics.metrics(),
            TrafficMetrics.metrics(),
            MergeMetrics.metrics(),
            EngineMetrics.metrics(),
            PROCESS.metrics())
        .flatMap(List::stream)
        .toList();
  }

  /**
   * Creates a registry with all metrics.
   *
   * @param pool buffer pool of the data connections
   */
  public static CollectorRegistry of(
      ServerMetrics server,
      Latencies latencies,
      PooledByteBufAllocator pool,
      List<Collector> others) {
    CollectorRegistry registry = new CollectorRegistry();
    PROCESS.register(registry, pool);
    registry.register(server);
    latencies.register(registry);
    others.forEach(registry::register);
    return registry;
  }
}
