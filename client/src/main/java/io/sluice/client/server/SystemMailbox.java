package io.sluice.client.server;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** A mailbox whose owner waits by the system clock. */
final class SystemMailbox<E> implements Mailbox<E> {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final Consumer<E> disposal;
  // Guarded by lock.
  private final Deque<E> events = new ArrayDeque<>();
  private boolean closed;

  SystemMailbox(Consumer<E> disposal) {
    this.disposal = disposal;
  }

  @Override
  public void put(E event) {
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

  @Override
  public E poll() {
    lock.lock();
    try {
      return events.pollFirst();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public E poll(long nanos) throws InterruptedException {
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
