package io.sluice.client.read;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Hands events from transport threads to the task thread. After closing nothing is kept: what comes
 * late is disposed of by whoever brings it. Thread-safe. Bounded by the requests in flight.
 */
final class Mailbox<E> implements AutoCloseable {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final Consumer<E> disposal;
  // Guarded by lock.
  private final Deque<E> events = new ArrayDeque<>();
  private boolean closed;

  /**
   * @param disposal frees what an event owns
   */
  Mailbox(Consumer<E> disposal) {
    this.disposal = disposal;
  }

  /**
   * @param event takes
   */
  void put(E event) {
    lock.lock();
    try {
      if (!closed) {
        events.addLast(event);
        arrived.signal();
        return;
      }
    } finally {
      lock.unlock();
    }
    disposal.accept(event);
  }

  /** The next event, which the caller owns, or null. */
  E poll() {
    lock.lock();
    try {
      return events.pollFirst();
    } finally {
      lock.unlock();
    }
  }

  /** As {@link #poll()}, after waiting for at most so long. */
  E poll(long nanos) throws InterruptedException {
    long left = nanos;
    lock.lockInterruptibly();
    try {
      while (events.isEmpty() && left > 0) {
        left = arrived.awaitNanos(left);
      }
      return events.pollFirst();
    } finally {
      lock.unlock();
    }
  }

  /** Disposes of everything. Idempotent. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
    for (E event = poll(); event != null; event = poll()) {
      disposal.accept(event);
    }
  }
}
