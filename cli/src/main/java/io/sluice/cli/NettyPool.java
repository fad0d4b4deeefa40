package io.sluice.cli;

import java.util.Map;

/**
 * Size of Netty's buffer pool in a coordinator or server. All connections share one pool, including
 * those of gRPC. It serves heads of frames, small messages and copies of at most 256 KiB; bodies of
 * pushes are received into the memory budget. So small chunks and few arenas suffice, whatever the
 * number of processors: Netty's defaults are 4 MiB for each of two arenas per processor, and the
 * same again in a pool of gRPC.
 */
final class NettyPool {
  /** Chunks of 1 MiB: pages of 8 KiB, doubled this often. */
  private static final int MAX_ORDER = 7;

  private static final int MAX_ARENAS = 16;

  private NettyPool() {}

  /** System properties, which Netty and gRPC read once, when the first buffer is allocated. */
  static Map<String, String> properties(int processors) {
    return Map.of(
        "io.netty.allocator.type",
        "pooled",
        "io.netty.allocator.maxOrder",
        Integer.toString(MAX_ORDER),
        "io.netty.allocator.numDirectArenas",
        Integer.toString(Math.min(MAX_ARENAS, 2 * processors)),
        "io.grpc.netty.useCustomAllocator",
        "false");
  }

  /** Sets the properties that the command line of the JVM does not set. */
  static void configure() {
    properties(Runtime.getRuntime().availableProcessors())
        .forEach(
            (key, value) -> {
              if (System.getProperty(key) == null) {
                System.setProperty(key, value);
              }
            });
  }
}
