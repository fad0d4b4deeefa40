package io.sluice.server.model;

import com.google.common.util.concurrent.MoreExecutors;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.server.background.MergeCounters;
import io.sluice.server.background.MergeWriter;
import io.sluice.server.background.ReportedMergeInputs;
import io.sluice.server.background.SpillWriter;
import io.sluice.server.disk.DamageReports;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.disk.DiskWatch;
import io.sluice.server.disk.Disks;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.WatchSteps;
import io.sluice.server.log.LogConfig;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.observe.ServerCounters;
import io.sluice.server.read.DiskReadCounters;
import io.sluice.server.read.FileReads;
import io.sluice.server.read.ReadBudget;
import io.sluice.server.read.ReadHealthReporter;
import io.sluice.server.recovery.CleanStopMarker;
import io.sluice.server.recovery.Recovery;
import io.sluice.server.recovery.RecoveryResult;
import io.sluice.server.recovery.ScanResult;
import io.sluice.server.recovery.TombstoneWriter;
import io.sluice.server.service.OverQuota;
import io.sluice.server.service.PushAdmission;
import io.sluice.server.service.ServerEpochs;
import io.sluice.server.service.ServiceConfig;
import io.sluice.server.service.StoreDataService;
import io.sluice.transport.protocol.ConnectionGuard;
import io.sluice.transport.server.RequestMemory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** The storage of a server from its start to its end, without background threads. */
final class ServerModel {
  private static final long TIMEOUT_MS = 30_000;
  private static final int HOUSEKEEPING_ROUNDS = 4;
  private static final StoreConfig STORE =
      new StoreConfig(100, 100, 1 << 20, 1000, 1 << 30, new LogConfig(500, 1 << 30, 1000, 1000));

  final List<ModelDirectory> directories;
  final List<Disk> disks = new ArrayList<>();
  final ShuffleStore store = new ShuffleStore(STORE);
  final RunFiles files = new RunFiles(1);
  final RecoveryResult recovered;
  final ServerCounters counters = new ServerCounters();
  final FileReads reads;
  final PushAdmission admission;
  final StoreDataService service;
  final SpillWriter spills;
  final MergeWriter merges;
  final DiskWatch watch;
  final DamageReports reports;

  /**
   * Starts the server and recovers the runs in the directories.
   *
   * @param previousEpoch epoch of the previous start; 0 if there was none
   * @param random source of run ids
   * @param cache source of page cache hits
   * @param onDeclaredLost called for each run that is declared lost while its disk is healthy
   */
  ServerModel(
      List<ModelDirectory> directories,
      long previousEpoch,
      MemoryBudget memory,
      ModelClock clock,
      Random random,
      Random cache,
      ScheduledExecutorService timer,
      Consumer<RunFile> onDeclaredLost)
      throws IOException, InterruptedException {
    this(
        directories,
        previousEpoch,
        memory,
        clock,
        random,
        cache,
        timer,
        onDeclaredLost,
        () -> true,
        new ReadModel(UnpooledByteBufAllocator.DEFAULT, disk -> Runnable::run),
        List.of());
  }

  /**
   * As the other constructor, for background work that can be slow.
   *
   * @param canStore whether any disk accepts data
   * @param more disks beside those of the directories
   */
  ServerModel(
      List<ModelDirectory> directories,
      long previousEpoch,
      MemoryBudget memory,
      ModelClock clock,
      Random random,
      Random cache,
      ScheduledExecutorService timer,
      Consumer<RunFile> onDeclaredLost,
      BooleanSupplier canStore,
      ReadModel readModel,
      List<Disk> more)
      throws IOException, InterruptedException {
    this.directories = List.copyOf(directories);
    for (ModelDirectory each : directories) {
      disks.add(new Disk(each.storage(), each.catalog(), DiskLimits.DEFAULT, clock));
    }
    disks.addAll(more);
    Recovery recovery =
        new Recovery(
            disks,
            files,
            store,
            TIMEOUT_MS,
            clock,
            (name, threads) -> MoreExecutors.newDirectExecutorService());
    ScanResult findings = recovery.find();
    long epoch = Math.max(previousEpoch, findings.newestEpoch()) + 1;
    recovered = recovery.restore(findings, previousEpoch, epoch);
    store.onForgotten(new TombstoneWriter(disks, files, clock, 1000)::add);
    RequestMemory requestMemory = new RequestMemory(1 << 30);
    reads = reads(requestMemory, cache, readModel, timer, clock);
    ServerEpochs epochs = new ServerEpochs(epoch, recovered.wholeSinceEpoch());
    admission =
        new PushAdmission(
            epochs,
            ServiceConfig.DEFAULT.limits(),
            memory,
            store,
            canStore,
            new OverQuota(),
            counters);
    service =
        new StoreDataService(
            epochs,
            ServiceConfig.DEFAULT,
            ConnectionGuard.OPEN,
            admission,
            memory,
            requestMemory,
            store,
            reads,
            timer,
            counters);
    spills = new SpillWriter(epoch, files, random, counters);
    merges = new MergeWriter(files, random, new MergeCounters(), new ReportedMergeInputs());
    watch =
        WatchSteps.create(new Disks(disks), store, files, random, counters, clock, onDeclaredLost);
    reports = new DamageReports(files, watch, counters);
    service.verifyReports(reports);
  }

  static FileReads reads(
      RequestMemory requestMemory,
      Random cache,
      ReadModel model,
      ScheduledExecutorService timer,
      ModelClock clock) {
    return new FileReads(
        model.config(),
        new ReadBudget(1 << 30),
        requestMemory,
        model.cache() == null ? new ModelPageCache(cache) : model.cache(),
        model.memory(),
        model.readers(),
        timer,
        new ReadHealthReporter(),
        new DiskReadCounters(),
        clock);
  }

  long epoch() {
    return recovered.epoch();
  }

  /** Deletes unused runs and runs the other pending housekeeping of the disks. */
  void housekeep() {
    // Work on one disk may create work on another disk.
    for (int round = 0; round < HOUSEKEEPING_ROUNDS; round++) {
      disks.forEach(files::deletePending);
    }
  }

  /** Writes the stop mark to every directory, if all acknowledged blocks are in files. */
  boolean writeStopMark() throws InterruptedException {
    return writeStopMark(false);
  }

  /**
   * As the other.
   *
   * @param synced whether the mark must survive a crash of the machine
   */
  boolean writeStopMark(boolean synced) throws InterruptedException {
    if (store.totals().bufferedBytes() + store.totals().spillingBytes() > 0
        || store.totals().anyLost()) {
      return false;
    }
    return new CleanStopMarker(disks, synced)
        .write(epoch(), recovered.wholeSinceEpoch(), TIMEOUT_MS);
  }

  int readFailures() {
    return directories.stream().mapToInt(each -> each.storage().readFailures()).sum();
  }

  /**
   * Ends the server, whose directories are already cut off: releases memory without other changes.
   */
  void end() {
    store.close();
    files.close();
  }
}
