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
 * The run files of a server that are in use: opens them when they are read, closes those that
 * nobody reads when many are open, deletes those that nobody refers to any more, on one thread per
 * disk. Thread-safe.
 */
public final class RunFiles implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RunFiles.class);

  private static final Pattern NAME = Pattern.compile("[0-9a-f]{32}\\.run");

  /** How often deletions that failed are tried again, while there are no others. */
  private static final long RETRY_MS = 1_000;

  private static final long CLOSE_WAIT_MS = 10_000;

  private record Housekeeping(DiskThread thread, RunDeletion doomed) {}

  private final int maxIdleOpen;
  private final Set<RunFile> all = ConcurrentHashMap.newKeySet();
  private final ConcurrentHashMap<Disk, Housekeeping> housekeeping = new ConcurrentHashMap<>();
  private final AtomicInteger threads = new AtomicInteger();
  // Open files that nobody reads, longest unread first. Guarded by itself.
  private final LinkedHashSet<RunFile> idle = new LinkedHashSet<>();
  private volatile boolean started;
  private boolean closed;

  /**
   * @param maxIdleOpen files that stay open while nobody reads them
   */
  public RunFiles(int maxIdleOpen) {
    this.maxIdleOpen = maxIdleOpen;
  }

  /** Starts deleting in the background. */
  public synchronized void start() {
    started = true;
    housekeeping.values().forEach(each -> each.thread().start());
  }

  public static String fileName(RunId run) {
    return run + ".run";
  }

  /** The run whose file has this name; empty if it is not the name of a run's file. */
  public static Optional<RunId> runId(String file) {
    if (!NAME.matcher(file).matches()) {
      return Optional.empty();
    }
    return Optional.of(
        new RunId(
            Long.parseUnsignedLong(file, 0, 16, 16), Long.parseUnsignedLong(file, 16, 32, 16)));
  }

  /**
   * A file that is committed and that the disk's catalog knows. It belongs to the caller, and with
   * {@link RunFile#discard} file and record go.
   */
  public RunFile add(Disk disk, RunRecord record) {
    RunFile file = new RunFile(this, disk, record);
    all.add(file);
    return file;
  }

  /** Files that somebody refers to, or that wait to be deleted. */
  public int count() {
    return all.size();
  }

  /** Those of one disk that a log has, at this moment. */
  public List<RunFile> on(Disk disk) {
    List<RunFile> found = new ArrayList<>();
    for (RunFile file : all) {
      if (file.disk() == disk && !file.isDiscarded()) {
        found.add(file);
      }
    }
    return found;
  }

  /** Deletes what waits for it, on the calling thread. */
  public void deletePending() {
    housekeeping.keySet().forEach(this::deletePending);
  }

  /** As {@link #deletePending()}, on one disk. */
  public void deletePending(Disk disk) {
    Housekeeping its = housekeeping(disk);
    its.thread().runPending();
    its.doomed().retry();
  }

  /** Deletes what waits for it, but for what lies on disks that hang, and ends. Idempotent. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    List<DiskThread> late =
        DiskThread.stopAll(
            housekeeping.values().stream().map(Housekeeping::thread).toList(), CLOSE_WAIT_MS);
    housekeeping.forEach(
        (disk, each) -> {
          if (late.contains(each.thread())) {
            LOG.warn(
                "runs are left to be deleted, their disk does not answer disk={}", disk.name());
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
    Housekeeping its = housekeeping(file.disk());
    if (its.doomed().add(file)) {
      its.thread().execute(its.doomed()::deleteAll);
    }
  }

  /** Does a task on the thread that deletes the disk's runs, after what waits there. */
  public void onThreadOf(Disk disk, Runnable task) {
    housekeeping(disk).thread().execute(task);
  }

  /** Closes a channel that belongs to nobody any more, without letting the caller wait. */
  void closeLater(FileChannel channel, RunFile file) {
    housekeeping(file.disk()).thread().execute(() -> closeQuietly(channel, file));
  }

  static void closeQuietly(FileChannel channel, RunFile file) {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.warn("run not closed file={} problem={}", file, e.toString());
    }
  }

  private Housekeeping housekeeping(Disk disk) {
    Housekeeping its = housekeeping.get(disk);
    if (its != null) {
      return its;
    }
    synchronized (this) {
      its = housekeeping.get(disk);
      if (its == null) {
        RunDeletion doomed = new RunDeletion(disk, this::deleted);
        DiskThread thread =
            new DiskThread("run-deleter-" + threads.getAndIncrement(), RETRY_MS, doomed::retry);
        its = new Housekeeping(thread, doomed);
        housekeeping.put(disk, its);
        if (started) {
          thread.start();
        }
      }
      return its;
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
