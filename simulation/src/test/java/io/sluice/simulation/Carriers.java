package io.sluice.simulation;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs each task on a thread of its own. A simulation needs hundreds of them, one after the other.
 * A JVM of version 24 or later uses virtual threads: a change from one to another costs no call of
 * the kernel. With an older one, a thread is used again, the last one first. Thread-safe.
 */
final class Carriers implements Executor, AutoCloseable {
  private static final String NAME = "simulated";
  private static final long STACK_BYTES = 512 << 10;

  /** The first version whose virtual threads can wait while they have a monitor. */
  private static final int VIRTUAL_SINCE = 24;

  private static final boolean VIRTUAL = Runtime.version().feature() >= VIRTUAL_SINCE;

  private final ThreadFactory threads = VIRTUAL ? virtual() : platform();

  @GuardedBy("this")
  private final Deque<Carrier> idle = new ArrayDeque<>();

  @GuardedBy("this")
  private boolean closed;

  private static ThreadFactory platform() {
    return task -> {
      Thread thread = new Thread(null, task, NAME, STACK_BYTES);
      thread.setDaemon(true);
      return thread;
    };
  }

  /** As {@code Thread.ofVirtual().name(NAME).factory()}, which Java 17 does not have. */
  private static ThreadFactory virtual() {
    try {
      Class<?> type = Class.forName("java.lang.Thread$Builder");
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      builder = type.getMethod("name", String.class).invoke(builder, NAME);
      return (ThreadFactory) type.getMethod("factory").invoke(builder);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("no virtual threads", e);
    }
  }

  private final class Carrier implements Runnable {
    private final Thread thread = threads.newThread(this);
    private volatile Runnable task;

    Carrier(Runnable first) {
      task = first;
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

  /** Whether a thread is one of any carriers. */
  static boolean own(Thread thread) {
    return thread.getName().equals(NAME);
  }

  /** Returns a thread, not started, for the main thread of simulations. */
  Thread newThread(Runnable task) {
    return threads.newThread(task);
  }

  @Override
  public void execute(Runnable task) {
    Carrier carrier;
    synchronized (this) {
      carrier = idle.pollFirst();
    }
    if (carrier == null) {
      new Carrier(task).thread.start();
    } else {
      carrier.task = task;
      LockSupport.unpark(carrier.thread);
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
    idle.forEach(carrier -> carrier.thread.interrupt());
    idle.clear();
  }
}
