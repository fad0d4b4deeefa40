package io.sluice.server.storage;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does one disk's housekeeping, one task after the other, on a thread of its own: if the disk
 * hangs, nobody else's work does. Thread-safe.
 */
final class DiskWorker {
  private static final Logger LOG = LoggerFactory.getLogger(DiskWorker.class);

  private static final long TICK_MS = 1_000;

  private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private final Thread thread;
  private final Runnable tick;
  private volatile boolean ending;

  /**
   * @param tick done about once a second while there is nothing else to do
   */
  DiskWorker(String name, Runnable tick) {
    this.tick = tick;
    this.thread = new Thread(this::work, name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  void execute(Runnable task) {
    tasks.add(task);
  }

  /** Does what waits, on the calling thread. */
  void runPending() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      run(task);
    }
  }

  /** Lets the thread end once it has done what waits. */
  void end() {
    ending = true;
    // Wakes the thread.
    tasks.add(() -> {});
  }

  /** Whether the thread has ended, or never was started, within a time. */
  boolean awaitEnd(long timeoutMs) throws InterruptedException {
    if (thread.getState() != Thread.State.NEW) {
      thread.join(Math.max(1, timeoutMs));
    }
    return !thread.isAlive();
  }

  private void work() {
    try {
      while (!ending || !tasks.isEmpty()) {
        Runnable task = tasks.poll(TICK_MS, TimeUnit.MILLISECONDS);
        run(task == null ? tick : task);
      }
    } catch (InterruptedException e) {
      // Nobody interrupts it but the end of the process.
      Thread.currentThread().interrupt();
    }
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      LOG.error("disk task failed", e);
    }
  }
}
