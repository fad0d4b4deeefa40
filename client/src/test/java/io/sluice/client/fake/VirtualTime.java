package io.sluice.client.fake;

import io.sluice.client.server.Mailbox;
import io.sluice.client.server.TaskTime;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * Virtual time for clients, servers and coordinators in one thread. A caller that waits runs the
 * scheduled work in the order of its time, until an event arrives or the wait is over. Owned by one
 * thread; a subclass may let several tasks wait at a time.
 */
public class VirtualTime implements TaskTime {
  private final PriorityQueue<Scheduled> queue = new PriorityQueue<>();
  private long nowNanos;
  private long scheduled;
  private long executed;

  /** Work in the order of its time, and of the calls that scheduled it. */
  private record Scheduled(long atNanos, long number, Runnable work)
      implements Comparable<Scheduled> {
    @Override
    public int compareTo(Scheduled other) {
      int byTime = Long.compare(atNanos, other.atNanos);
      return byTime == 0 ? Long.compare(number, other.number) : byTime;
    }
  }

  /** Something that one task waits for, once. */
  public static final class Signal {
    private boolean given;
    private Runnable listener = () -> {};

    /** Ends the wait. Idempotent. */
    public void give() {
      given = true;
      listener.run();
    }

    public boolean isGiven() {
      return given;
    }

    /** Sets a listener, called when the signal is given. */
    public void onGiven(Runnable task) {
      listener = task;
    }
  }

  @Override
  public final long nanoTime() {
    return nowNanos;
  }

  /** Scheduled work that has run. */
  public final long executed() {
    return executed;
  }

  /** Schedules work after a delay; it runs during a wait or {@link #runUntilIdle}. */
  public final void schedule(long delayNanos, Runnable work) {
    queue.add(new Scheduled(nowNanos + delayNanos, scheduled++, work));
  }

  /** Advances the time, and runs the work that is due. */
  public final void advance(long nanos) {
    boolean unused = await(new Signal(), nowNanos + nanos);
  }

  /** Waits for a signal until a time; returns whether it was given. */
  public boolean await(Signal signal, long untilNanos) {
    while (!signal.isGiven()) {
      if (!runNextBefore(untilNanos)) {
        nowNanos = untilNanos;
        return false;
      }
    }
    return true;
  }

  /** Runs all scheduled work, including work that it schedules. */
  public final void runUntilIdle() {
    while (runNextBefore(Long.MAX_VALUE)) {}
  }

  /** Runs the next scheduled work if it is due by a time; returns whether it ran. */
  protected final boolean runNextBefore(long untilNanos) {
    Scheduled next = queue.peek();
    if (next == null || next.atNanos() > untilNanos) {
      return false;
    }
    queue.remove();
    nowNanos = Math.max(nowNanos, next.atNanos());
    executed++;
    next.work().run();
    return true;
  }

  /** Whether the waiting task was interrupted; clears that state. */
  protected boolean takeInterrupt() {
    return Thread.interrupted();
  }

  @Override
  public final <E> Mailbox<E> mailbox(Consumer<E> disposal) {
    return new VirtualMailbox<>(disposal);
  }

  private final class VirtualMailbox<E> implements Mailbox<E> {
    private final Deque<E> events = new ArrayDeque<>();
    private final Consumer<E> disposal;
    private Signal arrival = new Signal();
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
        arrival.give();
      }
    }

    @Override
    public E poll() {
      return events.pollFirst();
    }

    @Override
    public E poll(long nanos) throws InterruptedException {
      if (takeInterrupt()) {
        throw new InterruptedException();
      }
      if (events.isEmpty()) {
        arrival = new Signal();
        boolean unused = await(arrival, nowNanos + nanos);
        if (takeInterrupt()) {
          throw new InterruptedException();
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
