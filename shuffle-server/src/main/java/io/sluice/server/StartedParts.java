package io.sluice.server;

import io.sluice.common.net.DaemonThreads;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Parts of a process in the order of their start. They are closed in reverse order when the process
 * stops or when a later part fails to start. A part that fails to close does not prevent the others
 * from closing. Used by one thread at a time.
 */
final class StartedParts implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(StartedParts.class);

  private static final long THREADS_END_MS = 5_000;

  private record Part(String name, AutoCloseable closing) {}

  private final Deque<Part> parts = new ArrayDeque<>();

  /** Adds a started part. */
  <T extends AutoCloseable> T add(String name, T part) {
    parts.push(new Part(name, part));
    return part;
  }

  /**
   * Adds an executor, whose threads are daemons.
   *
   * @param finish whether queued tasks still run when the executor is closed
   */
  ScheduledExecutorService executor(String name, int threads, boolean finish) {
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(
            threads, threads == 1 ? DaemonThreads.named(name) : DaemonThreads.numbered(name));
    executor.setRemoveOnCancelPolicy(true);
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(finish);
    executor.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
    add(
        name,
        () -> {
          executor.shutdown();
          if (!executor.awaitTermination(THREADS_END_MS, TimeUnit.MILLISECONDS)) {
            executor.shutdownNow();
          }
        });
    return executor;
  }

  /** Closes the parts in reverse order of their start. Idempotent. */
  @Override
  public void close() {
    while (!parts.isEmpty()) {
      Part part = parts.pop();
      try {
        part.closing().close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        log.warn("interrupted while stopping a part part={}", part.name());
      } catch (Exception e) {
        log.warn("part did not stop cleanly part={}", part.name(), e);
      }
    }
  }
}
