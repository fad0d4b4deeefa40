package io.sluice.metrics;

import io.netty.buffer.PooledByteBufAllocator;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.hotspot.DefaultExports;
import java.util.List;
import java.util.stream.Stream;

/** Metrics common to all processes: the JVM, Netty's memory, the build. Immutable. */
public final class ProcessMetrics {
  private final MetricTable<PooledByteBufAllocator> netty;

  /**
   * @param prefix prefix of the component, such as {@code sluice_server_}
   */
  public ProcessMetrics(String prefix) {
    netty = NettyMemory.table(prefix);
  }

  /** All metrics except those of the JVM, whose names are defined by their library. */
  public List<Metric> metrics() {
    return Stream.of(netty.metrics(), BuildInfo.TABLE.metrics()).flatMap(List::stream).toList();
  }

  /**
   * Registers all metrics, including those of the JVM.
   *
   * @param pool buffer pool of the connections
   */
  public void register(CollectorRegistry registry, PooledByteBufAllocator pool) {
    DefaultExports.register(registry);
    registry.register(new TableCollector<>(netty, () -> List.of(pool)));
    BuildInfo build = BuildInfo.ofThisProcess();
    registry.register(new TableCollector<>(BuildInfo.TABLE, () -> List.of(build)));
  }
}
