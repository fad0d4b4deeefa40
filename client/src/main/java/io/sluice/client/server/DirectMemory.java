package io.sluice.client.server;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the direct memory of all push sessions and reads of a process against one limit. To
 * continue, a session may exceed the limit by its open frames and one sent frame, a read by one
 * slice. Thread-safe.
 */
public final class DirectMemory {
  private final long maxBytes;
  private final AtomicLong usedBytes = new AtomicLong();

  /**
   * @param maxBytes limit of all sessions and reads together
   */
  public DirectMemory(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * Counts memory that was allocated or released.
   *
   * @param bytes negative: released
   */
  public void add(long bytes) {
    usedBytes.addAndGet(bytes);
  }

  /** Whether the limit is exceeded; callers then release memory before they allocate more. */
  public boolean isExceeded() {
    return usedBytes.get() > maxBytes;
  }

  /** Whether {@code bytes} more can be allocated within the limit. */
  public boolean hasRoom(long bytes) {
    return usedBytes.get() + bytes <= maxBytes;
  }

  public long usedBytes() {
    return usedBytes.get();
  }
}
