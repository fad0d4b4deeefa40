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
 * Declares lost what a disk held. Readers are told from then on, without any wait: that is
 * bookkeeping of the logs. What is left of the partitions is counted from the footers of the other
 * runs, on the threads of the disks where those lie; until then attempts count as incomplete there,
 * which is safe. Thread-safe.
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

  /** Gives up what a disk holds by now; does nothing if that is nothing. */
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
          "data is lost with its disk disk={} runs={} bytes={} shuffles={} partitions={}",
          disk.name(),
          runs,
          bytes,
          shuffles.size(),
          partitions);
    }
  }

  /** Gives up one run, which is damaged or cannot be read; does nothing if no log has it. */
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
        .log("run is given up, its data is lost");
  }

  /** One that is on its way into the log, or out of it, is left to whoever brings it there. */
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
