package io.sluice.client.fake;

import io.sluice.client.server.Mailbox;
import io.sluice.client.server.TaskTime;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * Virtual time for clients, servers and coordinators in one thread. A caller that waits runs the
 * scheduled work in the order of its time, until an event arrives or the wait is over. Owned by one
 * thread.
 */
public final class VirtualTime implements TaskTime {
  private final PriorityQueue<Scheduled> queue =
      new PriorityQueue<>(
          Comparator.comparingLong(Scheduled::atNanos).thenComparingLong(Scheduled::number));
  private long nowNanos;
  private long scheduled;

  private record Scheduled(long atNanos, long number, Runnable work) {}

  @Override
  public long nanoTime() {
    return nowNanos;
  }

  /** Schedules work after a delay; it runs during a wait or {@link #runUntilIdle}. */
  public void schedule(long delayNanos, Runnable work) {
    queue.add(new Scheduled(nowNanos + delayNanos, scheduled++, work));
  }

  /** Advances the time, and runs the work that is due. */
  public void advance(long nanos) {
    long until = nowNanos + nanos;
    while (runNextBefore(until)) {}
    nowNanos = until;
  }

  /** Runs all scheduled work, including work that it schedules. */
  public void runUntilIdle() {
    while (runNextBefore(Long.MAX_VALUE)) {}
  }

  private boolean runNextBefore(long untilNanos) {
    Scheduled next = queue.peek();
    if (next == null || next.atNanos() > untilNanos) {
      return false;
    }
    queue.remove();
    nowNanos = Math.max(nowNanos, next.atNanos());
    next.work().run();
    return true;
  }

  @Override
  public <E> Mailbox<E> mailbox(Consumer<E> disposal) {
    return new VirtualMailbox<>(disposal);
  }

  private final class VirtualMailbox<E> implements Mailbox<E> {
    private final Deque<E> events = new ArrayDeque<>();
    private final Consumer<E> disposal;
    private boolean closed;

    VirtualMailbox(Consumer<E> disposal) {
      this.disposal = disposal;
    }

    @Override
    public void put(E event) {
      if (closed) {
        disposal.accept(event);
      } else {
        events.addLast(event);
      }
    }

    @Override
    public E poll() {
      return events.pollFirst();
    }

    @Override
    public E poll(long nanos) throws InterruptedException {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      long until = nowNanos + nanos;
      while (events.isEmpty()) {
        if (!runNextBefore(until)) {
          nowNanos = until;
          return null;
        }
      }
      return events.pollFirst();
    }

    @Override
    public void close() {
      closed = true;
      for (E event = events.pollFirst(); event != null; event = events.pollFirst()) {
        disposal.accept(event);
      }
    }
  }
}
