package io.sluice.server.storage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the runs of one disk that nobody refers to any more: first their records, all that wait
 * in one step, then their files. A crash in between leaves files that the next start deletes,
 * because the catalog does not know them. One thread; {@link #add} may be called by any.
 */
final class RunDeleter {
  private static final Logger LOG = LoggerFactory.getLogger(RunDeleter.class);

  /** Records that go in one step: a batch of some 200 KiB. */
  private static final int MOST_AT_ONCE = 10_000;

  private static final long TICK_MS = 1_000;

  private final Disk disk;
  private final AtomicInteger count;
  private final LinkedBlockingQueue<RunFile> waiting = new LinkedBlockingQueue<>();
  private final Thread thread;
  private volatile boolean closed;

  /**
   * @param count of run files that are not deleted; counted down here
   */
  RunDeleter(Disk disk, AtomicInteger count) {
    this.disk = disk;
    this.count = count;
    thread = new Thread(this::deleteUntilClosed, "run-deleter " + disk.name());
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  void add(RunFile file) {
    waiting.add(file);
  }

  /** Deletes what waits, on the calling thread. */
  void deletePending() {
    List<RunFile> files = new ArrayList<>();
    while (waiting.drainTo(files, MOST_AT_ONCE) > 0) {
      delete(files);
      files.clear();
    }
  }

  /** Ends the thread after what it is doing; {@link #awaitEnd} waits for that. */
  void close() {
    closed = true;
    thread.interrupt();
  }

  /** Whether the thread has ended in time; a disk that hangs may keep it. */
  boolean awaitEnd(long timeoutMs) throws InterruptedException {
    thread.join(Math.max(1, timeoutMs));
    return !thread.isAlive();
  }

  private void deleteUntilClosed() {
    List<RunFile> files = new ArrayList<>();
    while (!closed) {
      try {
        RunFile first = waiting.poll(TICK_MS, TimeUnit.MILLISECONDS);
        if (first != null) {
          files.add(first);
          waiting.drainTo(files, MOST_AT_ONCE - 1);
          delete(files);
          files.clear();
        }
      } catch (InterruptedException e) {
        // Only close() interrupts; the loop ends.
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private void delete(List<RunFile> files) {
    try {
      disk.catalog().remove(files.stream().map(RunFile::id).toList());
    } catch (IOException e) {
      // The records stay without their files: a start that finds that drops them.
      LOG.warn(
          "runs not struck from the catalog disk={} runs={} problem={}",
          disk.name(),
          files.size(),
          e.toString());
    }
    for (RunFile file : files) {
      try {
        file.closeAndDelete();
      } catch (IOException e) {
        LOG.warn("run not deleted file={} problem={}", file, e.toString());
      }
      count.decrementAndGet();
    }
  }
}
