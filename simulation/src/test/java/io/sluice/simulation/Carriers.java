package io.sluice.simulation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs each task on a thread of its own, which is used again, the last one first. A simulation
 * needs hundreds of them, one after the other. Threads belong to the thread group of the caller.
 * Thread-safe.
 */
final class Carriers implements Executor, AutoCloseable {
  private static final long STACK_BYTES = 512 << 10;

  @GuardedBy("this")
  private final Deque<Carrier> idle = new ArrayDeque<>();

  @GuardedBy("this")
  private boolean closed;

  private final class Carrier extends Thread {
    private volatile Runnable task;

    Carrier(Runnable first) {
      super(null, null, "simulated", STACK_BYTES);
      task = first;
      setDaemon(true);
    }

    @Override
    public void run() {
      do {
        Runnable next = task;
        task = null;
        if (next != null) {
          next.run();
        }
      } while (awaitTask());
    }

    private boolean awaitTask() {
      if (!addIdle(this)) {
        return false;
      }
      while (task == null) {
        LockSupport.park(this);
        if (Thread.interrupted()) {
          return false;
        }
      }
      return true;
    }
  }

  @Override
  public void execute(Runnable task) {
    Carrier carrier;
    synchronized (this) {
      carrier = idle.pollFirst();
    }
    if (carrier == null) {
      new Carrier(task).start();
    } else {
      carrier.task = task;
      LockSupport.unpark(carrier);
    }
  }

  private synchronized boolean addIdle(Carrier carrier) {
    if (!closed) {
      idle.addFirst(carrier);
    }
    return !closed;
  }

  /** Ends the idle threads, and the others when their task ends. */
  @Override
  public synchronized void close() {
    closed = true;
    idle.forEach(Thread::interrupt);
    idle.clear();
  }
}
