package io.sluice.server.storage;

import io.sluice.common.run.RunId;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The run files of a server that are in use: opens them when they are read, closes those that
 * nobody reads when many are open, deletes those that nobody refers to any more, on a thread of
 * their disk. Thread-safe.
 */
public final class RunFiles implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RunFiles.class);

  private static final long CLOSE_WAIT_MS = 10_000;

  private final int maxIdleOpen;
  private final Map<Disk, RunDeleter> deleters = new ConcurrentHashMap<>();
  private final AtomicInteger count = new AtomicInteger();
  // Open files that nobody reads, longest unread first. Guarded by itself.
  private final LinkedHashSet<RunFile> idle = new LinkedHashSet<>();
  private volatile boolean started;

  /**
   * @param maxIdleOpen files that stay open while nobody reads them
   */
  public RunFiles(int maxIdleOpen) {
    this.maxIdleOpen = maxIdleOpen;
  }

  /** Starts deleting in the background, each disk's runs on a thread of its own. */
  public void start() {
    started = true;
    deleters.values().forEach(RunDeleter::start);
  }

  public static String fileName(RunId run) {
    return run + ".run";
  }

  /** A committed file, which belongs to the caller. */
  public RunFile add(Disk disk, RunId run, long length) {
    count.incrementAndGet();
    return new RunFile(this, disk, run, length);
  }

  /** Files that somebody refers to, or that wait to be deleted. */
  public int count() {
    return count.get();
  }

  /** Deletes what waits for it, on the calling thread. */
  public void deletePending() {
    deleters.values().forEach(RunDeleter::deletePending);
  }

  /** Deletes what waits for it, and ends; what a disk does not answer for stays. Idempotent. */
  @Override
  public void close() {
    deleters.values().forEach(RunDeleter::close);
    long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_WAIT_MS);
    for (RunDeleter deleter : deleters.values()) {
      close(deleter, deadlineNanos);
    }
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
    becameBusy(file);
    deleters.computeIfAbsent(file.disk(), this::deleter).add(file);
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

  private RunDeleter deleter(Disk disk) {
    RunDeleter deleter = new RunDeleter(disk, count);
    if (started) {
      deleter.start();
    }
    return deleter;
  }

  private void close(RunDeleter deleter, long deadlineNanos) {
    try {
      long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
      if (!started || deleter.awaitEnd(leftMs)) {
        deleter.deletePending();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static void closeQuietly(FileChannel channel, RunFile file) {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.warn("run not closed file={} problem={}", file, e.toString());
    }
  }
}
