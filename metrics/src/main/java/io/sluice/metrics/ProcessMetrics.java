package io.sluice.metrics;

import io.netty.buffer.PooledByteBufAllocator;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.hotspot.DefaultExports;
import java.util.List;
import java.util.stream.Stream;

/** What every process publishes beside its own: the JVM, Netty's memory, the build. Immutable. */
public final class ProcessMetrics {
  private final MetricTable<PooledByteBufAllocator> netty;

  /**
   * @param prefix of the component, such as {@code sluice_server_}
   */
  public ProcessMetrics(String prefix) {
    netty = NettyMemory.table(prefix);
  }

  /** All but those of the JVM, which have the names that their library gives. */
  public List<Metric> metrics() {
    return Stream.of(netty.metrics(), BuildInfo.TABLE.metrics()).flatMap(List::stream).toList();
  }

  /**
   * Registers them, with those of the JVM.
   *
   * @param pool that connections use
   */
  public void register(CollectorRegistry registry, PooledByteBufAllocator pool) {
    DefaultExports.register(registry);
    registry.register(new TableCollector<>(netty, () -> List.of(pool)));
    BuildInfo build = BuildInfo.ofThisProcess();
    registry.register(new TableCollector<>(BuildInfo.TABLE, () -> List.of(build)));
  }
}
