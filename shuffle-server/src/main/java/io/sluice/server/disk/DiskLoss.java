package io.sluice.server.disk;

import io.sluice.server.log.LoggedRun;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoredRun;
import io.sluice.server.observe.ServerCounters;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Declares the runs of a disk lost. The logs report the loss to readers at once, without I/O. The
 * remaining blocks of the partitions are then counted from the footers of the other runs, on the
 * threads of their disks. Until then attempts count as incomplete there, which is safe.
 * Thread-safe.
 */
class DiskLoss {
  private static final Logger LOG = LoggerFactory.getLogger(DiskLoss.class);

  private final ShuffleStore store;
  private final RunFiles files;
  private final ServerCounters counters;

  DiskLoss(ShuffleStore store, RunFiles files, ServerCounters counters) {
    this.store = store;
    this.files = files;
    this.counters = counters;
  }

  /** Declares all runs of a disk lost; does nothing if there is none. */
  void declare(Disk disk) {
    Set<ShuffleKey> shuffles = new HashSet<>();
    for (RunFile file : files.on(disk)) {
      shuffles.add(file.record().shuffle());
    }
    int partitions = 0;
    int runs = 0;
    long bytes = 0;
    for (ShuffleKey shuffle : shuffles) {
      ShuffleLog log = store.find(shuffle);
      Set<StoredRun> gone = log == null ? Set.of() : runsOn(disk, log);
      if (!gone.isEmpty()) {
        partitions += lose(log, gone);
        runs += gone.size();
        for (StoredRun run : gone) {
          bytes += ((RunFile) run).length();
        }
      }
    }
    if (runs > 0) {
      counters.lostRuns(runs, bytes);
      LOG.warn(
          "runs declared lost with their disk disk={} runs={} bytes={} shuffles={} partitions={}",
          disk.name(),
          runs,
          bytes,
          shuffles.size(),
          partitions);
    }
  }

  /** Declares one damaged or unreadable run lost; does nothing if no log contains it. */
  void declare(RunFile file) {
    ShuffleLog log = store.find(file.record().shuffle());
    if (log == null || log.runs().stream().noneMatch(run -> run.run() == file)) {
      return;
    }
    int partitions = lose(log, Set.of(file));
    counters.lostRuns(1, file.length());
    LOG.atWarn()
        .addKeyValue("application", log.key().application())
        .addKeyValue("shuffle", log.key().shuffle())
        .addKeyValue("file", file)
        .addKeyValue("bytes", file.length())
        .addKeyValue("partitions", partitions)
        .log("run declared lost");
  }

  /**
   * The runs in the log on this disk. A run that is being added or removed is handled by that
   * operation.
   */
  private static Set<StoredRun> runsOn(Disk disk, ShuffleLog log) {
    Set<StoredRun> found = new HashSet<>();
    for (LoggedRun run : log.runs()) {
      if (run.run() instanceof RunFile file && file.disk() == disk) {
        found.add(file);
      }
    }
    return found;
  }

  private int lose(ShuffleLog log, Set<StoredRun> gone) {
    List<Integer> affected = log.lose(gone);
    if (!affected.isEmpty()) {
      new Recount(log, files, affected).start();
    }
    return affected.size();
  }
}
