package io.sluice.server;

import io.sluice.proto.DiskState;
import io.sluice.server.background.Demoter;
import io.sluice.server.background.MergeCounters;
import io.sluice.server.background.MergeWriter;
import io.sluice.server.background.Merger;
import io.sluice.server.background.ReportedMergeInputs;
import io.sluice.server.background.ScrubCounters;
import io.sluice.server.background.Scrubbers;
import io.sluice.server.background.SpillPolicy;
import io.sluice.server.background.SpillWriter;
import io.sluice.server.background.Spiller;
import io.sluice.server.cluster.DiskReport;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.disk.DiskWatch;
import io.sluice.server.disk.Disks;
import io.sluice.server.disk.LinuxPageCache;
import io.sluice.server.disk.PageCache;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.observe.Latencies;
import io.sluice.server.observe.ServerCounters;
import io.sluice.server.recovery.Recovered;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where blocks are kept: memory, disks, and whatever moves them between those. Thread-safe.
 *
 * @param recovered what was taken over at the start
 */
record StorageEngine(
    Disks disks,
    MemoryBudget memory,
    ShuffleStore store,
    Recovered recovered,
    ServerCounters counters,
    Spiller spiller,
    Merger merger,
    MergeCounters merges,
    ScrubCounters scrubbed,
    PageCache pageCache) {
  private static final Logger log = LoggerFactory.getLogger(StorageEngine.class);

  /** Run files that stay open though nobody reads them: far fewer than a process may open. */
  private static final int IDLE_OPEN_RUNS = 256;

  /** Of memory; what is left of it is written by the stop in a moment. */
  private static final int FLUSH_LEAVES_DIVISOR = 16;

  /** Opens the disks, recovers what lies on them and starts what works on it. */
  static StorageEngine start(Startup startup, Latencies latencies) throws StartException {
    ServerConfig config = startup.config();
    LongSupplier nanoTime = startup.nanoTime();
    StartedParts parts = startup.parts();

    Disks disks = new DataDirectories(startup).open();
    RunFiles runs = parts.add("run files", new RunFiles(IDLE_OPEN_RUNS));
    runs.start();
    MemoryBudget memory = parts.add("memory", new MemoryBudget(config.memory(), nanoTime));
    ShuffleStore store = parts.add("store", new ShuffleStore(config.shuffles()));

    StoreRecovery recovery = new StoreRecovery(startup, disks, store);
    Recovered recovered = recovery.recover(runs);
    // Closed once nothing can be acknowledged any more, and before memory is given back.
    parts.add("stop mark", () -> recovery.markStop(recovered));

    PageCache pageCache = LinuxPageCache.load();
    ServerCounters counters = new ServerCounters(latencies);
    Spiller spiller =
        parts.add(
            "spiller",
            new Spiller(
                store,
                memory,
                disks,
                new SpillPolicy(config.storage().spill()),
                new SpillWriter(recovered.epoch(), runs, new SecureRandom(), counters),
                nanoTime));
    spiller.start();
    DiskWatch watch =
        parts.add(
            "disk watch",
            new DiskWatch(disks, store, runs, new SecureRandom(), pageCache, counters, nanoTime));
    watch.start();
    ScrubCounters scrubbed = new ScrubCounters();
    parts
        .add(
            "scrubbers",
            new Scrubbers(
                disks, runs, config.storage().scrub(), watch::declareLost, scrubbed, nanoTime))
        .start();
    parts
        .add(
            "demoter",
            new Demoter(
                disks, runs, config.storage().disk().demotionBytesPerSecond(), counters, nanoTime))
        .start();
    MergeCounters merges = new MergeCounters(latencies);
    Merger merger =
        parts.add(
            "merger",
            new Merger(
                store,
                disks,
                config.storage().merge(),
                new MergeWriter(runs, new SecureRandom(), merges, new ReportedMergeInputs()),
                disk -> memory.pressure().tight() || spiller.isWriting(disk),
                merges,
                nanoTime));
    merger.start();
    return new StorageEngine(
        disks, memory, store, recovered, counters, spiller, merger, merges, scrubbed, pageCache);
  }

  /** This life of the server. */
  long epoch() {
    return recovered.epoch();
  }

  List<DiskState> diskStates() {
    return disks.list().stream().map(DiskReport::of).toList();
  }

  /** Other limits for the directories from now on. */
  void limit(DiskLimits limits) {
    for (Disk disk : disks.list()) {
      if (disk.kind() != StorageKind.REMOTE) {
        disk.limit(limits);
      }
    }
  }

  /** Ahead of a restart, so that the clean stop has little left to write. */
  void flush(long timeoutMs) {
    try {
      long leaveBytes = memory.capacityBytes() / FLUSH_LEAVES_DIVISOR;
      boolean flushed = spiller.flush(leaveBytes, timeoutMs);
      log.info("flushed ahead of a stop whole={} memoryUsedBytes={}", flushed, memory.usedBytes());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
