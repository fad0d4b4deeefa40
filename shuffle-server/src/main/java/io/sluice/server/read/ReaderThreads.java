package io.sluice.server.read;

import io.sluice.common.net.DaemonThreads;
import io.sluice.server.disk.Disk;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reader threads of the disks, one pool per disk. Threads are created on demand and end after
 * {@link #IDLE_SECONDS} without work. Thread-safe.
 */
public final class ReaderThreads implements Function<Disk, Executor>, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ReaderThreads.class);

  private static final long IDLE_SECONDS = 30;
  private static final long CLOSE_WAIT_MS = 5_000;

  private final DiskReadConfig config;
  private final LongSupplier nanoTime;
  private final List<ThreadPoolExecutor> pools = new ArrayList<>();
  private boolean closed;

  public ReaderThreads(DiskReadConfig config, LongSupplier nanoTime) {
    this.config = config;
    this.nanoTime = nanoTime;
  }

  @Override
  public synchronized Executor apply(Disk disk) {
    int count = config.threads(disk.kind());
    int number = pools.size();
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            count,
            count,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            // Bounded by DiskReader, which limits reads to the number of threads.
            new LinkedBlockingQueue<>(),
            DaemonThreads.numbered("read-disk-" + number));
    pool.allowCoreThreadTimeOut(true);
    pools.add(pool);
    if (closed) {
      pool.shutdown();
    }
    return pool;
  }

  /** Waits a bounded time for running reads; a read that hangs is abandoned. Idempotent. */
  @Override
  public synchronized void close() {
    closed = true;
    // Not interrupted: an interrupt would close the files for all other readers.
    pools.forEach(ThreadPoolExecutor::shutdown);
    long deadline = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(CLOSE_WAIT_MS);
    for (ThreadPoolExecutor pool : pools) {
      try {
        if (!pool.awaitTermination(deadline - nanoTime.getAsLong(), TimeUnit.NANOSECONDS)) {
          LOG.warn(
              "disk reads did not end within the stop timeout runningReads={}",
              pool.getActiveCount());
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    pools.clear();
  }
}
