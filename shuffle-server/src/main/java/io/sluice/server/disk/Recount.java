package io.sluice.server.disk;

import io.sluice.common.run.RunExtent;
import io.sluice.common.run.RunFormatException;
import io.sluice.common.run.RunReader;
import io.sluice.server.log.LoggedRun;
import io.sluice.server.log.ShuffleLog;
import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts the blocks of some partitions in the remaining runs of a log, after other runs were lost;
 * each run on the thread of its disk. If a run is merged before it is counted, the merged run is
 * counted instead. Thread-safe.
 */
final class Recount {
  private final ShuffleLog log;
  private final RunFiles files;
  private final Set<Integer> partitions;
  // Runs that were counted or are queued.
  private final Set<RunFile> queued = ConcurrentHashMap.newKeySet();

  Recount(ShuffleLog log, RunFiles files, Collection<Integer> partitions) {
    this.log = log;
    this.files = files;
    this.partitions = new HashSet<>(partitions);
  }

  /** Queues all runs of the log; returns at once. */
  void start() {
    for (LoggedRun run : log.runs()) {
      if (run.run() instanceof RunFile file) {
        queue(file);
      }
    }
  }

  private void queue(RunFile file) {
    if (queued.add(file)) {
      files.onThreadOf(file.disk(), () -> count(file));
    }
  }

  private void count(RunFile file) {
    if (!file.tryRetain()) {
      queueReplacement(file);
      return;
    }
    try (RunReader reader = RunReader.open(file.openOwn(), file.toString())) {
      for (RunExtent extent : reader.extents()) {
        if (partitions.contains(extent.partition())
            && !log.recount(file, extent.partition(), file.intactBlocks(reader, extent))) {
          queueReplacement(file);
          return;
        }
      }
    } catch (RunFormatException e) {
      file.disk().health().checksumFailed(file.toString(), e.offset());
    } catch (IOException e) {
      file.disk().health().readFailed(file.failedRead(), e);
    } finally {
      file.release();
    }
  }

  /**
   * Queues the run that replaced {@code gone}, if any: a run may also be lost, or its shuffle
   * deleted.
   */
  private void queueReplacement(RunFile gone) {
    for (LoggedRun run : log.runs()) {
      if (run.run() instanceof RunFile file && file.record().replaces().contains(gone.id())) {
        queue(file);
      }
    }
  }
}
