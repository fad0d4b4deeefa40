package io.sluice.server.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.common.run.RunId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes unreferenced runs of one disk: first their catalog records, in one batch, then the files.
 * After a crash in between, the next start deletes the files, because the catalog does not list
 * them. Failed deletions are retried when the disk is healthy. Deletes on one thread at a time; all
 * other methods are thread-safe.
 */
final class RunDeletion {
  private static final Logger LOG = LoggerFactory.getLogger(RunDeletion.class);

  /** Maximum number of records deleted in one batch of some 200 KiB. */
  private static final int MAX_BATCH_RUNS = 10_000;

  private final Disk disk;
  private final Consumer<RunFile> deleted;

  @GuardedBy("this")
  private List<RunFile> waiting = new ArrayList<>();

  @GuardedBy("this")
  private List<RunFile> failed = new ArrayList<>();

  /**
   * @param deleted called with each deleted run
   */
  RunDeletion(Disk disk, Consumer<RunFile> deleted) {
    this.disk = disk;
    this.deleted = deleted;
  }

  /**
   * Adds a run.
   *
   * @return whether the queue was empty: the caller must then schedule {@link #deleteAll}
   */
  synchronized boolean add(RunFile file) {
    waiting.add(file);
    return waiting.size() == 1;
  }

  /** Retries failed deletions if the disk is healthy. */
  void retry() {
    if (disk.health().state().isWritten()) {
      synchronized (this) {
        if (failed.isEmpty()) {
          return;
        }
        waiting.addAll(failed);
        failed = new ArrayList<>();
      }
      deleteAll();
    }
  }

  void deleteAll() {
    List<RunFile> files;
    synchronized (this) {
      files = waiting;
      waiting = new ArrayList<>();
    }
    for (int from = 0; from < files.size(); from += MAX_BATCH_RUNS) {
      delete(files.subList(from, Math.min(files.size(), from + MAX_BATCH_RUNS)));
    }
    if (!files.isEmpty()) {
      disk.refresh();
    }
  }

  private void delete(List<RunFile> files) {
    List<RunId> ids = files.stream().map(RunFile::id).toList();
    try {
      disk.catalog().remove(ids);
    } catch (IOException e) {
      LOG.warn(
          "runs not removed from catalog disk={} runs={} problem={}",
          disk.name(),
          ids.size(),
          e.toString());
      keep(files);
      return;
    }
    List<RunFile> left = new ArrayList<>();
    for (RunFile file : files) {
      try {
        file.closeAndDelete();
        deleted.accept(file);
      } catch (IOException e) {
        LOG.warn("run not deleted file={} problem={}", file, e.toString());
        left.add(file);
      }
    }
    keep(left);
  }

  private synchronized void keep(List<RunFile> files) {
    failed.addAll(files);
  }
}
