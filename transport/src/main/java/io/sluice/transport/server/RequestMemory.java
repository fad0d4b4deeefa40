package io.sluice.transport.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Memory that requests use beside blocks and bytes of files: large heads while they are received,
 * the pieces of fetches, waiting Opens, and replies to Open until they have left.
 *
 * <p>What a request will use is often known only when it has been looked at. So a connection asks
 * {@link #hasRoom} before it receives a request, and whoever allocates counts it with {@link #take}
 * in any case: the capacity is exceeded by no more than one request of each thread. Each
 * application has its {@link ApplicationShare share}; one that has used it up waits with {@link
 * #whenRoom}, and the others do not notice.
 *
 * <p>Thread-safe, with one lock held for microseconds; callbacks run outside it.
 */
public final class RequestMemory {
  /** Waiters called for each request that ends: a few, because each looks again. */
  private static final int CALLED_AT_ONCE = 4;

  private static final long LEAST_BYTES = 8L << 20;

  /** Of the heap, most of which the server's catalog and log entries need. */
  private static final int HEAP_DIVISOR = 8;

  private final long capacityBytes;

  @GuardedBy("this")
  private final Map<String, Long> usedByApplication = new HashMap<>();

  @GuardedBy("this")
  private final Map<String, ArrayDeque<Waiter>> waiting = new LinkedHashMap<>();

  @GuardedBy("this")
  private long usedBytes;

  /** Not a record: those of one connection would be equal. */
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
      throw new IllegalArgumentException("request memory of " + capacityBytes + " bytes");
    }
    this.capacityBytes = capacityBytes;
  }

  /** An eighth of a heap of that size. */
  public static RequestMemory ofHeap(long maxHeapBytes) {
    return new RequestMemory(Math.max(LEAST_BYTES, maxHeapBytes / HEAP_DIVISOR));
  }

  public long capacityBytes() {
    return capacityBytes;
  }

  /** Bytes in use by requests of all applications; 0 when there are none. */
  public synchronized long usedBytes() {
    return usedBytes;
  }

  /** Whether an application may begin another request. */
  public synchronized boolean hasRoom(String application) {
    long used = usedByApplication.getOrDefault(application, 0L);
    return usedBytes < capacityBytes && ApplicationShare.allows(capacityBytes, usedBytes, used);
  }

  /** Counts bytes that are in use from now on. */
  public synchronized void take(String application, long bytes) {
    usedBytes += bytes;
    usedByApplication.merge(application, bytes, Long::sum);
  }

  /**
   * Counts bytes that may stay in use for long, unless the application would use more than half of
   * its share then: the other half is for requests that end soon.
   */
  public synchronized boolean tryTakeForLong(String application, long bytes) {
    long used = usedByApplication.getOrDefault(application, 0L) + bytes;
    if (!ApplicationShare.allows(capacityBytes, usedBytes + bytes, 2 * used)) {
      return false;
    }
    take(application, bytes);
    return true;
  }

  /** Bytes that were counted are no longer in use. */
  public void give(String application, long bytes) {
    List<Waiter> called;
    synchronized (this) {
      long left = usedByApplication.getOrDefault(application, 0L) - bytes;
      if (left < 0) {
        throw new IllegalStateException(
            "request memory: " + bytes + " bytes given back, more than were taken");
      }
      usedBytes -= bytes;
      if (left == 0) {
        usedByApplication.remove(application);
      } else {
        usedByApplication.put(application, left);
      }
      called = takeWaiters();
    }
    called.forEach(waiter -> waiter.retry.run());
  }

  /**
   * Calls back once when an application may have room, perhaps at once.
   *
   * @param retry quick; asks {@link #hasRoom} again, or calls {@link #pass} if nothing is wanted
   *     any more
   * @return cancels the wait
   */
  public Runnable whenRoom(String application, Runnable retry) {
    Waiter waiter = new Waiter(application, retry);
    List<Waiter> called;
    synchronized (this) {
      waiting.computeIfAbsent(application, unused -> new ArrayDeque<>()).addLast(waiter);
      called = takeWaiters();
    }
    called.forEach(next -> next.retry.run());
    return () -> cancel(waiter);
  }

  /** A waiter that was called does not want anything any more: others may be called. */
  public void pass() {
    List<Waiter> called;
    synchronized (this) {
      called = takeWaiters();
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
  private List<Waiter> takeWaiters() {
    if (waiting.isEmpty()) {
      return List.of();
    }
    List<Waiter> called = new ArrayList<>();
    waiting
        .entrySet()
        .removeIf(
            entry -> {
              ArrayDeque<Waiter> queue = entry.getValue();
              for (int i = 0; i < CALLED_AT_ONCE && hasRoom(entry.getKey()); i++) {
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
