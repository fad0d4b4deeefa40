package io.sluice.server.service;

import io.netty.buffer.ByteBuf;
import io.sluice.proto.Push;
import io.sluice.proto.ShuffleId;
import io.sluice.server.background.SpillConfig;
import io.sluice.server.disk.DirectoryConfig;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.log.BlockBytes;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.memory.MemoryConfig;
import io.sluice.transport.server.ClientConnection;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Prints the CPU cost of the store without a network, in CPU seconds of its threads. Arguments: a
 * directory, gibibytes to push, block sizes in bytes.
 */
public final class StoreThroughput {
  private static final int FRAME_BYTES = 4 << 20;
  private static final int PARTITIONS = 200;
  private static final long EPOCH = 1;

  private StoreThroughput() {}

  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    long bytes = Math.round(Double.parseDouble(arguments[1]) * (1L << 30));
    for (int i = 2; i < arguments.length; i++) {
      int blockBytes = Integer.parseInt(arguments[i]);
      run(directory, bytes / 4, blockBytes, false);
      run(directory, bytes, blockBytes, true);
    }
  }

  private static void run(Path directory, long bytes, int blockBytes, boolean print)
      throws Exception {
    MemoryConfig memory = MemoryConfig.ofCapacity(512L << 20);
    BlockStoreConfig config =
        new BlockStoreConfig(
            memory,
            StoreConfig.DEFAULT,
            SpillConfig.forCapacity(memory.capacityBytes(), 1 << 20),
            List.of(new DirectoryConfig(directory, Optional.empty(), 0, 0.99)),
            DiskLimits.DEFAULT,
            ServiceConfig.DEFAULT,
            16);
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    try (BlockStore store =
        BlockStore.open(config, EPOCH, "bench", System::nanoTime, new SecureRandom())) {
      store.start();
      byte[][] frames = frames(blockBytes);
      long pushNanos = 0;
      long started = System.nanoTime();
      long attempt = 0;
      for (long pushed = 0; pushed < bytes; attempt++) {
        byte[] frame = frames[(int) (attempt % frames.length)];
        Push head =
            Push.newBuilder()
                .setEpoch(EPOCH)
                .setShuffle(
                    ShuffleId.newBuilder()
                        .setApplication("bench")
                        // Every shuffle gets each frame once, so there are no duplicates.
                        .setShuffle((int) (attempt / frames.length)))
                .build();
        ByteBuf body = allocate(store, frame.length);
        body.writeBytes(frame);
        long before = threads.getCurrentThreadCpuTime();
        store.service().push(new ClientConnection("bench", "bench", "local"), head, body);
        pushNanos += threads.getCurrentThreadCpuTime() - before;
        pushed += frame.length;
      }
      double gib = (double) store.counters().pushedBytes() / (1L << 30);
      store.drain(60_000);
      long wallNanos = System.nanoTime() - started;
      long spillNanos = cpuNanos(threads, "spill-disk-");
      long blocks = store.counters().pushedBlocks();
      if (print) {
        System.out.printf(
            "block=%d frames=%d blocks=%d pushed=%.2fGiB push=%.2fGiB/cpu-s spill=%.2fGiB/cpu-s"
                + " wall=%.2fGiB/s runs=%d peak=%dMiB%n",
            blockBytes,
            attempt,
            blocks,
            gib,
            gib * 1e9 / pushNanos,
            gib * 1e9 / spillNanos,
            gib * 1e9 / wallNanos,
            store.counters().spilledRuns(),
            store.memory().peakBytes() >> 20);
      }
    }
  }

  private static ByteBuf allocate(BlockStore store, int length) throws InterruptedException {
    ByteBuf body = store.memory().tryAllocate("bench", length);
    while (body == null) {
      Object called = new Object();
      boolean[] done = new boolean[1];
      store
          .memory()
          .whenAvailable(
              "bench",
              length,
              () -> {
                synchronized (called) {
                  done[0] = true;
                  called.notifyAll();
                }
              });
      synchronized (called) {
        while (!done[0]) {
          called.wait();
        }
      }
      body = store.memory().tryAllocate("bench", length);
    }
    return body;
  }

  /** Frames of different attempts with blocks of every partition in turn. */
  private static byte[][] frames(int blockBytes) {
    Random random = new Random(1);
    byte[][] frames = new byte[16][];
    for (int attempt = 0; attempt < frames.length; attempt++) {
      ByteArrayOutputStream frame = new ByteArrayOutputStream();
      int count = Math.max(1, FRAME_BYTES / blockBytes);
      for (int i = 0; i < count; i++) {
        int partition = (int) ((long) i * PARTITIONS / count);
        frame.writeBytes(
            BlockBytes.block(
                attempt, attempt, partition, i, false, BlockBytes.payload(random, blockBytes)));
      }
      frames[attempt] = frame.toByteArray();
    }
    return frames;
  }

  private static long cpuNanos(ThreadMXBean threads, String prefix) {
    long nanos = 0;
    for (long id : threads.getAllThreadIds()) {
      var info = threads.getThreadInfo(id);
      if (info != null && info.getThreadName().startsWith(prefix)) {
        nanos += threads.getThreadCpuTime(id);
      }
    }
    return nanos;
  }
}
