package io.sluice.benchmark.load;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Measures the live heap of this JVM. */
final class HeapMeter {
  private static final int MAX_COLLECTIONS = 12;
  private static final long SAME_BYTES = 16 << 10;

  /** Time for the JVM to free direct memory after a collection. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Collects garbage until the live heap is stable, and returns it in bytes. */
  long usedBytes() {
    long used = collect();
    for (int i = 0; i < MAX_COLLECTIONS; i++) {
      LockSupport.parkNanos(PAUSE_NANOS);
      long again = collect();
      boolean same = Math.abs(again - used) <= SAME_BYTES;
      used = again;
      if (same) {
        break;
      }
    }
    return used;
  }

  private static long collect() {
    System.gc();
    long used = 0;
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      // Usage after the collection; the current usage includes thread-local allocation buffers.
      MemoryUsage left = pool.getType() == MemoryType.HEAP ? pool.getCollectionUsage() : null;
      used += left == null ? 0 : left.getUsed();
    }
    return used;
  }
}
