package io.sluice.server.disk;

import io.sluice.common.run.RunId;
import io.sluice.server.catalog.RunRecord;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The run files of a server. Opens files for readers, closes idle files above a maximum, and
 * deletes unreferenced files on one thread per disk. Thread-safe.
 */
public final class RunFiles implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RunFiles.class);

  private static final Pattern NAME = Pattern.compile("[0-9a-f]{32}\\.run");

  /** Interval of retries of failed deletions, while there are no others. */
  private static final long RETRY_MS = 1_000;

  private static final long CLOSE_WAIT_MS = 10_000;

  private record Housekeeping(DiskThread thread, RunDeletion deletion) {}

  private final int maxIdleOpen;
  private final PageCache pageCache;
  private final Set<RunFile> all = ConcurrentHashMap.newKeySet();
  private final ConcurrentHashMap<Disk, Housekeeping> housekeeping = new ConcurrentHashMap<>();
  private final AtomicInteger threads = new AtomicInteger();
  // Open files without readers, longest idle first. Guarded by itself.
  private final LinkedHashSet<RunFile> idle = new LinkedHashSet<>();
  private volatile boolean started;
  private volatile long closeWaitMs = CLOSE_WAIT_MS;
  private boolean closed;

  /** Without queries of the page cache. */
  public RunFiles(int maxIdleOpen) {
    this(maxIdleOpen, PageCache.UNKNOWN);
  }

  /**
   * @param maxIdleOpen maximum number of open files without readers
   * @param pageCache forgets each file before it is closed
   */
  public RunFiles(int maxIdleOpen, PageCache pageCache) {
    this.maxIdleOpen = maxIdleOpen;
    this.pageCache = pageCache;
  }

  /** Raises the maximum time in which {@link #close} runs pending deletions. */
  public void raiseCloseWait(long ms) {
    closeWaitMs = Math.max(closeWaitMs, ms);
  }

  /** Starts deleting in the background. */
  public synchronized void start() {
    started = true;
    housekeeping.values().forEach(each -> each.thread().start());
  }

  public static String fileName(RunId run) {
    return run + ".run";
  }

  /** The run id in a file name; empty if this is not the name of a run file. */
  public static Optional<RunId> runId(String file) {
    if (!NAME.matcher(file).matches()) {
      return Optional.empty();
    }
    return Optional.of(
        new RunId(
            Long.parseUnsignedLong(file, 0, 16, 16), Long.parseUnsignedLong(file, 16, 32, 16)));
  }

  /**
   * Adds a committed file that the disk's catalog lists. The caller owns it; {@link
   * RunFile#discard} deletes file and record.
   */
  public RunFile add(Disk disk, RunRecord record) {
    RunFile file = new RunFile(this, disk, record);
    all.add(file);
    return file;
  }

  /** Number of files that are referenced or wait for deletion. */
  public int count() {
    return all.size();
  }

  /** The files of one disk that are not discarded. */
  public List<RunFile> on(Disk disk) {
    List<RunFile> found = new ArrayList<>();
    for (RunFile file : all) {
      if (file.disk() == disk && !file.isDiscarded()) {
        found.add(file);
      }
    }
    return found;
  }

  /** Runs pending deletions on the calling thread. */
  public void deletePending() {
    housekeeping.keySet().forEach(this::deletePending);
  }

  /** Runs pending deletions of one disk on the calling thread. */
  public void deletePending(Disk disk) {
    Housekeeping worker = housekeeping(disk);
    worker.thread().runPending();
    worker.deletion().retry();
  }

  /** Runs pending deletions, except on disks that hang, and stops the threads. Idempotent. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    List<DiskThread> late =
        DiskThread.stopAll(
            housekeeping.values().stream().map(Housekeeping::thread).toList(), closeWaitMs);
    housekeeping.forEach(
        (disk, each) -> {
          if (late.contains(each.thread())) {
            LOG.warn(
                "pending deletions left to the next start, the disk does not answer disk={}",
                disk.name());
          } else if (!started) {
            each.thread().runPending();
          }
        });
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
    Housekeeping worker = housekeeping(file.disk());
    if (worker.deletion().add(file)) {
      worker.thread().execute(worker.deletion()::deleteAll);
    }
  }

  /** Runs a task on the thread that deletes the disk's runs, after its queued tasks. */
  public void onThreadOf(Disk disk, Runnable task) {
    housekeeping(disk).thread().execute(task);
  }

  /** Closes an unused channel in the background. */
  void closeLater(FileChannel channel, RunFile file) {
    housekeeping(file.disk()).thread().execute(() -> closeQuietly(channel, file));
  }

  void closeQuietly(FileChannel channel, RunFile file) {
    pageCache.forget(channel);
    try {
      channel.close();
    } catch (IOException e) {
      LOG.warn("run not closed file={} problem={}", file, e.toString());
    }
  }

  private Housekeeping housekeeping(Disk disk) {
    Housekeeping worker = housekeeping.get(disk);
    if (worker != null) {
      return worker;
    }
    synchronized (this) {
      worker = housekeeping.get(disk);
      if (worker == null) {
        RunDeletion deletion = new RunDeletion(disk, this::deleted);
        DiskThread thread =
            new DiskThread("run-deleter-" + threads.getAndIncrement(), RETRY_MS, deletion::retry);
        worker = new Housekeeping(thread, deletion);
        housekeeping.put(disk, worker);
        if (started) {
          thread.start();
        }
      }
      return worker;
    }
  }

  private void deleted(RunFile file) {
    becameBusy(file);
    all.remove(file);
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
}
