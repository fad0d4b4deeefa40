package io.sluice.server.storage;

import io.sluice.common.run.RunId;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The run files of a server that are in use: opens them when they are read, closes those that
 * nobody reads when many are open, deletes those that nobody refers to any more, on a thread of its
 * own. Thread-safe.
 */
public final class RunFiles implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RunFiles.class);

  private static final long CLOSE_WAIT_MS = 10_000;

  private final int maxIdleOpen;
  private final LinkedBlockingQueue<RunFile> toDelete = new LinkedBlockingQueue<>();
  private final AtomicInteger count = new AtomicInteger();
  // Open files that nobody reads, longest unread first. Guarded by itself.
  private final LinkedHashSet<RunFile> idle = new LinkedHashSet<>();
  private volatile Thread deleter;
  private volatile boolean closed;

  /**
   * @param maxIdleOpen files that stay open while nobody reads them
   */
  public RunFiles(int maxIdleOpen) {
    this.maxIdleOpen = maxIdleOpen;
  }

  /** Starts deleting in the background. */
  public void start() {
    Thread thread = new Thread(this::deleteUntilClosed, "run-deleter");
    thread.setDaemon(true);
    deleter = thread;
    thread.start();
  }

  public static String fileName(RunId run) {
    return run + ".run";
  }

  /** A committed file, which belongs to the caller. */
  public RunFile add(Disk disk, RunId run, long length) {
    count.incrementAndGet();
    return new RunFile(this, disk, fileName(run), length);
  }

  /** Files that somebody refers to, or that wait to be deleted. */
  public int count() {
    return count.get();
  }

  /** Deletes what waits for it, on the calling thread. */
  public void deletePending() {
    for (RunFile file = toDelete.poll(); file != null; file = toDelete.poll()) {
      delete(file);
    }
  }

  /** Deletes what waits for it, and ends. Idempotent. */
  @Override
  public void close() {
    closed = true;
    Thread thread = deleter;
    if (thread != null) {
      thread.interrupt();
      try {
        thread.join(CLOSE_WAIT_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    deletePending();
    closeIdle(0);
  }

  void becameIdle(RunFile file) {
    synchronized (idle) {
      idle.add(file);
    }
  }

  void closeIdle() {
    closeIdle(maxIdleOpen);
  }

  void becameBusy(RunFile file) {
    synchronized (idle) {
      idle.remove(file);
    }
  }

  void unreferenced(RunFile file) {
    toDelete.add(file);
  }

  private void closeIdle(int keep) {
    List<RunFile> toClose = new ArrayList<>();
    synchronized (idle) {
      Iterator<RunFile> oldest = idle.iterator();
      while (idle.size() > keep) {
        toClose.add(oldest.next());
        oldest.remove();
      }
    }
    toClose.forEach(RunFile::closeIfIdle);
  }

  private void deleteUntilClosed() {
    while (!closed) {
      try {
        RunFile file = toDelete.poll(1, TimeUnit.SECONDS);
        if (file != null) {
          delete(file);
        }
      } catch (InterruptedException e) {
        // Only close() interrupts; the loop ends.
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private void delete(RunFile file) {
    becameBusy(file);
    try {
      file.closeAndDelete();
    } catch (IOException e) {
      LOG.warn("run not deleted file={} problem={}", file, e.toString());
    }
    count.decrementAndGet();
  }

  static void closeQuietly(FileChannel channel, RunFile file) {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.warn("run not closed file={} problem={}", file, e.toString());
    }
  }
}
