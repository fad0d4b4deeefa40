package io.sluice.server.disk;

import io.sluice.common.run.DamagedBlock;
import io.sluice.server.log.LoggedRun;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoredRun;
import io.sluice.server.observe.ServerCounters;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Declares the runs of a disk lost, or damaged runs and blocks. The logs report the loss to readers
 * at once, without I/O. The remaining blocks of the partitions are then counted from the footers of
 * the other runs, on the threads of their disks. Until then attempts count as incomplete there,
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
   * Declares damaged blocks of a run lost; the whole run if they are too many. Blocks that are lost
   * already are ignored.
   */
  void declare(RunFile file, List<DamagedBlock> blocks) {
    Map<Long, Integer> lengths = new HashMap<>();
    blocks.forEach(block -> lengths.put(block.fileOffset(), block.length()));
    ShuffleLog log = store.find(file.record().shuffle());
    if (log == null) {
      return;
    }
    if (!file.addDamage(lengths)) {
      declare(file);
      return;
    }
    List<DamagedBlock> lost = log.loseBlocks(file, blocks);
    if (lost.isEmpty()) {
      return;
    }
    long bytes = lost.stream().mapToLong(DamagedBlock::length).sum();
    counters.lostBlocks(lost.size(), bytes);
    LOG.atWarn()
        .addKeyValue("application", log.key().application())
        .addKeyValue("shuffle", log.key().shuffle())
        .addKeyValue("file", file)
        .addKeyValue("blocks", lost.size())
        .addKeyValue("bytes", bytes)
        .log("damaged blocks declared lost");
    new Recount(log, files, lost.stream().map(DamagedBlock::partition).toList()).start();
    files.onThreadOf(file.disk(), () -> record(file));
  }

  /** Readers find damage that is not recorded again after a restart. */
  private static void record(RunFile file) {
    if (file.isDiscarded()) {
      return;
    }
    try {
      file.disk().catalog().recordDamage(file.id(), file.damage());
    } catch (IOException e) {
      LOG.warn("damage of run not recorded file={} problem={}", file, e.toString());
    }
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
