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
 * The threads that wait for disks when they read, a few for each. They are made when they are first
 * needed and end after a while without work. Thread-safe.
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
            // Bounded by its disk's reader, which never has more under way than threads.
            new LinkedBlockingQueue<>(),
            DaemonThreads.numbered("read-disk-" + number));
    pool.allowCoreThreadTimeOut(true);
    pools.add(pool);
    if (closed) {
      pool.shutdown();
    }
    return pool;
  }

  /** Waits a bounded time for reads under way; one that hangs is left behind. Idempotent. */
  @Override
  public synchronized void close() {
    closed = true;
    // Never interrupted: that would close the files under whoever else reads them.
    pools.forEach(ThreadPoolExecutor::shutdown);
    long deadline = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(CLOSE_WAIT_MS);
    for (ThreadPoolExecutor pool : pools) {
      try {
        if (!pool.awaitTermination(deadline - nanoTime.getAsLong(), TimeUnit.NANOSECONDS)) {
          LOG.warn("reads did not end in time underWay={}", pool.getActiveCount());
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    pools.clear();
  }
}
