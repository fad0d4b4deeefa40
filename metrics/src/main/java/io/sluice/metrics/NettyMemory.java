package io.sluice.metrics;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.internal.PlatformDependent;

/** Metrics of Netty's direct memory, read from counters of Netty. */
final class NettyMemory {
  private NettyMemory() {}

  /**
   * The table of a pool.
   *
   * @param prefix prefix of the component, such as {@code sluice_server_}
   */
  static MetricTable<PooledByteBufAllocator> table(String prefix) {
    return MetricTable.<PooledByteBufAllocator>of(prefix + "netty_")
        .gauge(
            "pool_reserved_bytes",
            "Direct memory that Netty's buffer pool has allocated",
            pool -> pool.metric().usedDirectMemory())
        .gauge(
            "pool_used_bytes",
            "Direct memory of Netty's buffer pool in buffers that are in use",
            PooledByteBufAllocator::pinnedDirectMemory)
        .gauge(
            "pool_arenas",
            "Number of direct memory arenas of Netty's buffer pool",
            pool -> pool.metric().numDirectArenas())
        .gauge(
            "direct_used_bytes",
            "Direct memory that all Netty allocators of this process have allocated",
            unused -> Math.max(0, PlatformDependent.usedDirectMemory()))
        .gauge(
            "direct_max_bytes",
            "Maximum direct memory that Netty allocators of this process may allocate",
            unused -> PlatformDependent.maxDirectMemory())
        .build();
  }
}
