package io.sluice.client.server;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the direct memory that all sessions and reads of a process hold, against its limit. A
 * holder may exceed the limit by what it needs to continue: a session by its open frames and the
 * one that it sends, a read by one slice. Thread-safe.
 */
public final class DirectMemory {
  private final long maxBytes;
  private final AtomicLong heldBytes = new AtomicLong();

  /**
   * @param maxBytes limit of all holders together
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
    heldBytes.addAndGet(bytes);
  }

  /** Whether the limit is exceeded: what can be released should be, before more is allocated. */
  public boolean isExceeded() {
    return heldBytes.get() > maxBytes;
  }

  /** Whether more can be allocated within the limit. */
  public boolean hasRoom(long bytes) {
    return heldBytes.get() + bytes <= maxBytes;
  }

  public long heldBytes() {
    return heldBytes.get();
  }
}
