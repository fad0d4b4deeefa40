package io.sluice.server.threads;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits for threads that were told to end. */
public final class EndOfThreads {
  private static final Logger LOG = LoggerFactory.getLogger(EndOfThreads.class);

  private EndOfThreads() {}

  /**
   * Waits for all of them together, unless the calling thread is interrupted; its flag stays set
   * then.
   *
   * @return those that have not ended in time
   */
  public static List<Thread> await(
      List<? extends Thread> threads, long waitMs, LongSupplier nanoTime) {
    long deadline = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(waitMs);
    List<Thread> late = new ArrayList<>();
    try {
      for (Thread thread : threads) {
        thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - nanoTime.getAsLong())));
        if (thread.isAlive()) {
          LOG.warn("thread did not end in time thread={}", thread.getName());
          late.add(thread);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return late;
  }
}
