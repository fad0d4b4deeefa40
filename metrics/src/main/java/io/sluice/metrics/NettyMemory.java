package io.sluice.metrics;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.internal.PlatformDependent;

/** The metrics of Netty's memory outside the heap; read from counters that Netty keeps anyway. */
final class NettyMemory {
  private NettyMemory() {}

  /**
   * The table of a pool.
   *
   * @param prefix of the component, such as {@code sluice_server_}
   */
  static MetricTable<PooledByteBufAllocator> table(String prefix) {
    return MetricTable.<PooledByteBufAllocator>of(prefix + "netty_")
        .gauge(
            "pool_reserved_bytes",
            "Direct memory that Netty's buffer pool has taken from the system",
            pool -> pool.metric().usedDirectMemory())
        .gauge(
            "pool_used_bytes",
            "Direct memory of the pool in buffers that are in use",
            PooledByteBufAllocator::pinnedDirectMemory)
        .gauge(
            "pool_arenas",
            "Arenas of the pool for direct memory",
            pool -> pool.metric().numDirectArenas())
        .gauge(
            "direct_used_bytes",
            "Direct memory that all of Netty's allocators of this process have taken",
            unused -> Math.max(0, PlatformDependent.usedDirectMemory()))
        .gauge(
            "direct_max_bytes",
            "Most direct memory that Netty's allocators may take",
            unused -> PlatformDependent.maxDirectMemory())
        .build();
  }
}
