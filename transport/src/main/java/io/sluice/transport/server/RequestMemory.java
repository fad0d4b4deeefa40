package io.sluice.transport.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Budget of memory that requests use in addition to blocks and file data: heads being received, the
 * pieces of fetches, waiting Opens, and replies to Open until they are sent.
 *
 * <p>The size of a request is often known only after it has been parsed. A connection therefore
 * checks {@link #hasRoom} before it receives a request, and allocations are always counted with
 * {@link #reserve}: the capacity is exceeded by at most one request per thread. Each application
 * has a {@link ApplicationShare share}. If its share is used up, its requests wait with {@link
 * #whenRoom}; other applications are not affected.
 *
 * <p>Thread-safe. The lock is held for microseconds; callbacks run without it.
 */
public final class RequestMemory {
  /** Maximum number of waiters called when memory is released; each of them checks again. */
  private static final int MAX_CALLED_WAITERS = 4;

  private static final long MIN_CAPACITY_BYTES = 8L << 20;

  /** One eighth of the heap; the catalog and log entries of the server need most of it. */
  private static final int HEAP_DIVISOR = 8;

  private final long capacityBytes;

  @GuardedBy("this")
  private final Map<String, Long> usedByApplication = new HashMap<>();

  @GuardedBy("this")
  private final Map<String, ArrayDeque<Waiter>> waiting = new LinkedHashMap<>();

  @GuardedBy("this")
  private long usedBytes;

  /** Not a record: two waiters of one connection must not be equal. */
  private static final class Waiter {
    final String application;
    final Runnable retry;

    Waiter(String application, Runnable retry) {
      this.application = application;
      this.retry = retry;
    }
  }

  public RequestMemory(long capacityBytes) {
    if (capacityBytes < 1) {
      throw new IllegalArgumentException(
          "request memory must be at least 1 byte: capacityBytes=" + capacityBytes);
    }
    this.capacityBytes = capacityBytes;
  }

  /** A budget of one eighth of the heap. */
  public static RequestMemory ofHeap(long maxHeapBytes) {
    return new RequestMemory(Math.max(MIN_CAPACITY_BYTES, maxHeapBytes / HEAP_DIVISOR));
  }

  public long capacityBytes() {
    return capacityBytes;
  }

  /** Bytes in use by requests of all applications. */
  public synchronized long usedBytes() {
    return usedBytes;
  }

  /** Whether an application may start another request. */
  public synchronized boolean hasRoom(String application) {
    long used = usedByApplication.getOrDefault(application, 0L);
    return usedBytes < capacityBytes && ApplicationShare.allows(capacityBytes, usedBytes, used);
  }

  /** Counts allocated bytes. */
  public synchronized void reserve(String application, long bytes) {
    usedBytes += bytes;
    usedByApplication.merge(application, bytes, Long::sum);
  }

  /**
   * Counts bytes that may stay in use for a long time, unless the application would then use more
   * than half of its share. The other half is for short requests.
   */
  public synchronized boolean tryReserveLongTerm(String application, long bytes) {
    long used = usedByApplication.getOrDefault(application, 0L) + bytes;
    if (!ApplicationShare.allows(capacityBytes, usedBytes + bytes, 2 * used)) {
      return false;
    }
    reserve(application, bytes);
    return true;
  }

  /** Releases counted bytes. */
  public void release(String application, long bytes) {
    List<Waiter> called;
    synchronized (this) {
      long left = usedByApplication.getOrDefault(application, 0L) - bytes;
      if (left < 0) {
        throw new IllegalStateException(
            "request memory: " + bytes + " bytes released, more than are in use");
      }
      usedBytes -= bytes;
      if (left == 0) {
        usedByApplication.remove(application);
      } else {
        usedByApplication.put(application, left);
      }
      called = pollWaiters();
    }
    called.forEach(waiter -> waiter.retry.run());
  }

  /**
   * Calls {@code retry} once when an application may have room, possibly before this method
   * returns.
   *
   * @param retry must be fast; checks {@link #hasRoom} again, or calls {@link #skip} if memory is
   *     no longer needed
   * @return cancels the wait
   */
  public Runnable whenRoom(String application, Runnable retry) {
    Waiter waiter = new Waiter(application, retry);
    List<Waiter> called;
    synchronized (this) {
      waiting.computeIfAbsent(application, unused -> new ArrayDeque<>()).addLast(waiter);
      called = pollWaiters();
    }
    called.forEach(next -> next.retry.run());
    return () -> cancel(waiter);
  }

  /** A called waiter no longer needs memory: calls other waiters instead. */
  public void skip() {
    List<Waiter> called;
    synchronized (this) {
      called = pollWaiters();
    }
    called.forEach(waiter -> waiter.retry.run());
  }

  private synchronized void cancel(Waiter waiter) {
    ArrayDeque<Waiter> queue = waiting.get(waiter.application);
    if (queue != null) {
      queue.remove(waiter);
      if (queue.isEmpty()) {
        waiting.remove(waiter.application);
      }
    }
  }

  @GuardedBy("this")
  private List<Waiter> pollWaiters() {
    if (waiting.isEmpty()) {
      return List.of();
    }
    List<Waiter> called = new ArrayList<>();
    waiting
        .entrySet()
        .removeIf(
            entry -> {
              ArrayDeque<Waiter> queue = entry.getValue();
              for (int i = 0; i < MAX_CALLED_WAITERS && hasRoom(entry.getKey()); i++) {
                Waiter next = queue.pollFirst();
                if (next == null) {
                  break;
                }
                called.add(next);
              }
              return queue.isEmpty();
            });
    return called;
  }
}
