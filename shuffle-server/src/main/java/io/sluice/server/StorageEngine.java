package io.sluice.server;

import io.sluice.proto.DiskState;
import io.sluice.server.adopt.Adopter;
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
import io.sluice.server.cluster.AdoptedData;
import io.sluice.server.cluster.DiskReport;
import io.sluice.server.disk.DamageReports;
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
import io.sluice.server.recovery.RecoveryResult;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Storage of blocks: memory, disks, and the background tasks that move blocks between them.
 * Thread-safe.
 *
 * @param recovered result of the recovery at start
 * @param adopted data of lost servers on the remote tier
 */
record StorageEngine(
    Disks disks,
    RunFiles runs,
    MemoryBudget memory,
    ShuffleStore store,
    RecoveryResult recovered,
    ServerCounters counters,
    Spiller spiller,
    Merger merger,
    MergeCounters merges,
    ScrubCounters scrubbed,
    DamageReports reports,
    PageCache pageCache,
    AdoptedData adopted) {
  private static final Logger log = LoggerFactory.getLogger(StorageEngine.class);

  /**
   * Maximum number of run files that stay open without readers, far below the usual descriptor
   * limit.
   */
  private static final int MAX_IDLE_OPEN_RUNS = 256;

  /** A flush leaves this fraction of memory unwritten; the stop writes the rest quickly. */
  private static final int FLUSH_LEAVES_DIVISOR = 16;

  /** Opens the disks, recovers their runs and starts the background tasks. */
  static StorageEngine start(Startup startup, Latencies latencies) throws StartException {
    ServerConfig config = startup.config();
    LongSupplier nanoTime = startup.nanoTime();
    StartedParts parts = startup.parts();

    DataDirectories directories = new DataDirectories(startup);
    Disks disks = directories.open();
    PageCache pageCache = LinuxPageCache.load();
    RunFiles runs = parts.add("run files", new RunFiles(MAX_IDLE_OPEN_RUNS, pageCache));
    runs.start();
    MemoryBudget memory = parts.add("memory", new MemoryBudget(config.memory(), nanoTime));
    ShuffleStore store = parts.add("store", new ShuffleStore(config.shuffles()));

    StoreRecovery recovery = new StoreRecovery(startup, disks, store);
    RecoveryResult recovered = recovery.recover(runs);
    // Closed when no push can be acknowledged, before memory is released.
    parts.add("stop mark", () -> recovery.writeStopMark(recovered));

    AdoptedData adopted = AdoptedData.NONE;
    if (directories.remoteTier().isPresent()) {
      Adopter adopter =
          parts.add(
              "adopter", new Adopter(directories.remoteTier().get(), remote(disks), runs, store));
      adopter.start();
      adopted = adopter;
    }

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
            new Scrubbers(disks, runs, config.storage().scrub(), watch, scrubbed, nanoTime))
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
        disks,
        runs,
        memory,
        store,
        recovered,
        counters,
        spiller,
        merger,
        merges,
        scrubbed,
        new DamageReports(runs, watch, counters),
        pageCache,
        adopted);
  }

  private static Disk remote(Disks disks) {
    return disks.list().stream()
        .filter(disk -> disk.kind() == StorageKind.REMOTE)
        .findFirst()
        .orElseThrow();
  }

  /** Epoch of this server process. */
  long epoch() {
    return recovered.epoch();
  }

  List<DiskState> diskStates() {
    return disks.list().stream().map(DiskReport::of).toList();
  }

  /** Replaces the limits of the local directories. */
  void setLimits(DiskLimits limits) {
    for (Disk disk : disks.list()) {
      if (disk.kind() != StorageKind.REMOTE) {
        disk.limit(limits);
      }
    }
  }

  /**
   * Lets the stop delete all run files, because other servers have their data, except those of lost
   * servers. Other servers adopt files that stay on the remote tier.
   *
   * @param timeoutMs maximum time of the deletions
   */
  void deleteRunsAtStop(long timeoutMs) {
    adopted.leave();
    store.deleteRunsAtClose();
    runs.raiseCloseWait(timeoutMs);
  }

  /** Writes most of memory to disk ahead of a restart, so that the clean stop is short. */
  void flush(long timeoutMs) {
    try {
      long leaveBytes = memory.capacityBytes() / FLUSH_LEAVES_DIVISOR;
      boolean flushed = spiller.flush(leaveBytes, timeoutMs);
      log.info(
          "flushed memory before a stop completed={} memoryUsedBytes={}",
          flushed,
          memory.usedBytes());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
