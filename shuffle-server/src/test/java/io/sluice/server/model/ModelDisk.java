package io.sluice.server.model;

import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The bandwidth of a disk. It transfers parts of all readers and writers in the order of their
 * requests, as the block layer of an operating system does with large calls. Belongs to a
 * simulation.
 */
final class ModelDisk {
  private static final int PART_BYTES = 256 << 10;
  private static final long NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  private final long bytesPerSecond;
  private final LongSupplier nanoTime;
  private final LongConsumer sleep;
  private long freeAtNanos;

  /**
   * @param sleep lets the calling thread wait for a number of nanoseconds
   */
  ModelDisk(long bytesPerSecond, LongSupplier nanoTime, LongConsumer sleep) {
    this.bytesPerSecond = bytesPerSecond;
    this.nanoTime = nanoTime;
    this.sleep = sleep;
  }

  /** Waits until the bytes are transferred. */
  void transfer(int bytes) {
    for (int left = bytes; left > 0; left -= PART_BYTES) {
      long now = nanoTime.getAsLong();
      long nanos = Math.min(left, PART_BYTES) * NANOS_PER_SECOND / bytesPerSecond;
      freeAtNanos = Math.max(now, freeAtNanos) + nanos;
      sleep.accept(freeAtNanos - now);
    }
  }
}
