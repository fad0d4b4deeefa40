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
 * The runs of one disk that nobody refers to any more: forgotten by the catalog in one step, as
 * many as wait, then unlinked. A crash in between leaves files that the next start deletes, because
 * the catalog does not know them. What cannot be deleted now is tried again when the disk is well.
 * Deletes on one thread at a time; the rest is thread-safe.
 */
final class RunDeletion {
  private static final Logger LOG = LoggerFactory.getLogger(RunDeletion.class);

  /** Records that go in one step: a batch of some 200 KiB. */
  private static final int MOST_AT_ONCE = 10_000;

  private final Disk disk;
  private final Consumer<RunFile> deleted;

  @GuardedBy("this")
  private List<RunFile> waiting = new ArrayList<>();

  @GuardedBy("this")
  private List<RunFile> failed = new ArrayList<>();

  /**
   * @param deleted called with each run that is gone
   */
  RunDeletion(Disk disk, Consumer<RunFile> deleted) {
    this.disk = disk;
    this.deleted = deleted;
  }

  /**
   * Adds a run.
   *
   * @return whether there was none, so that somebody must call {@link #deleteAll}
   */
  synchronized boolean add(RunFile file) {
    waiting.add(file);
    return waiting.size() == 1;
  }

  /** Tries again what could not be deleted, if the disk is well. */
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
    for (int from = 0; from < files.size(); from += MOST_AT_ONCE) {
      delete(files.subList(from, Math.min(files.size(), from + MOST_AT_ONCE)));
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
          "runs not forgotten disk={} runs={} problem={}", disk.name(), ids.size(), e.toString());
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
