package io.sluice.server.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A daemon thread for the work of one disk, or for a planner that adds tasks to the threads of
 * disks. It runs tasks in the order in which they were added. While the queue is empty, it runs its
 * own work when signalled and after each period.
 *
 * <p>If the disk hangs, only this thread hangs: no method waits for the work, and {@link #awaitEnd}
 * returns after a timeout. An exception is logged, and the thread continues.
 *
 * <p>States: {@code NEW -> RUNNING -> STOPPING -> ENDED}, or {@code NEW -> STOPPING}. A stopping
 * thread runs the queued tasks, but not its own work. Thread-safe.
 */
public final class DiskThread {
  private static final Logger LOG = LoggerFactory.getLogger(DiskThread.class);

  private static final long NO_PERIOD_MS = TimeUnit.DAYS.toMillis(1);

  private final long periodNanos;
  private final Runnable work;
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // The number of tasks is bounded by the callers of execute.
  @GuardedBy("lock")
  private final Queue<Runnable> tasks = new ArrayDeque<>();

  @GuardedBy("lock")
  private boolean signalled;

  @GuardedBy("lock")
  private boolean running;

  @GuardedBy("lock")
  private boolean stopping;

  /**
   * @param periodMs time from the end of the work to its next run, unless signalled
   */
  public DiskThread(String name, long periodMs, Runnable work) {
    this.periodNanos = TimeUnit.MILLISECONDS.toNanos(periodMs);
    this.work = work;
    this.thread = new Thread(this::run, name);
    thread.setDaemon(true);
  }

  /** A thread that only runs tasks. */
  public static DiskThread ofTasks(String name) {
    return new DiskThread(name, NO_PERIOD_MS, () -> {});
  }

  /** Starts the thread unless it was stopped; called once. */
  public void start() {
    lock.lock();
    try {
      if (!stopping) {
        thread.start();
        running = true;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Requests a run of the work; signals before that run are combined. */
  public void signal() {
    lock.lock();
    try {
      if (!signalled) {
        signalled = true;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Adds a task. It stays in the queue if the thread has ended or never starts. */
  public void execute(Runnable task) {
    lock.lock();
    try {
      tasks.add(task);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Runs the tasks in the queue, on the calling thread. */
  public void runPending() {
    for (Runnable task = nextTask(); task != null; task = nextTask()) {
      runLogged(task);
    }
  }

  /**
   * Pauses the work for a time, or until the thread stops.
   *
   * @return false if the thread is stopping or the calling thread was interrupted; its interrupt
   *     flag stays set
   */
  public boolean pause(long nanos) {
    lock.lock();
    try {
      long left = nanos;
      while (!stopping && left > 0) {
        left = changed.awaitNanos(left);
      }
      return !stopping;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Whether {@link #stop} was called. */
  public boolean isStopping() {
    lock.lock();
    try {
      return stopping;
    } finally {
      lock.unlock();
    }
  }

  /** Requests the end of the thread and returns at once. Idempotent. */
  public void stop() {
    lock.lock();
    try {
      stopping = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Interrupts the thread, whose disk hangs, when no other thread waits for that disk. */
  public void interrupt() {
    thread.interrupt();
  }

  /** Calls {@link #stop} on all threads, then {@link #awaitEnd}. */
  public static List<DiskThread> stopAll(Collection<DiskThread> threads, long waitMs) {
    threads.forEach(DiskThread::stop);
    return awaitEnd(threads, waitMs);
  }

  /**
   * Waits until all stopped threads have ended, at most {@code waitMs} in total. Returns early if
   * the calling thread is interrupted; its interrupt flag stays set.
   *
   * @return threads that did not end in time
   */
  public static List<DiskThread> awaitEnd(Collection<DiskThread> threads, long waitMs) {
    List<DiskThread> late = new ArrayList<>();
    long leftNanos = TimeUnit.MILLISECONDS.toNanos(waitMs);
    try {
      for (DiskThread each : threads) {
        leftNanos = each.awaitEndNanos(leftNanos);
        if (each.isRunning()) {
          LOG.warn("thread did not stop within the timeout thread={}", each.thread.getName());
          late.add(each);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return late;
  }

  /** Returns the remaining time. */
  private long awaitEndNanos(long waitNanos) throws InterruptedException {
    long left = waitNanos;
    lock.lockInterruptibly();
    try {
      while (running && left > 0) {
        left = changed.awaitNanos(left);
      }
      if (running) {
        return left;
      }
    } finally {
      lock.unlock();
    }
    // The thread is about to return.
    thread.join();
    return left;
  }

  private boolean isRunning() {
    lock.lock();
    try {
      return running;
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    try {
      for (Runnable next = awaitNext(); next != null; next = awaitNext()) {
        runLogged(next);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.lock();
      try {
        running = false;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** The next task, or the work; null once stopped. */
  private Runnable awaitNext() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = periodNanos;
      while (tasks.isEmpty() && !signalled && !stopping && left > 0) {
        left = changed.awaitNanos(left);
      }
      if (!tasks.isEmpty()) {
        return tasks.remove();
      }
      signalled = false;
      return stopping ? null : work;
    } finally {
      lock.unlock();
    }
  }

  private Runnable nextTask() {
    lock.lock();
    try {
      return tasks.poll();
    } finally {
      lock.unlock();
    }
  }

  private void runLogged(Runnable next) {
    try {
      next.run();
    } catch (RuntimeException | Error e) {
      LOG.error("background work failed thread={}", thread.getName(), e);
    }
  }
}
