package io.sluice.server.model;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.auth.AuditLog;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.auth.Revocations;
import io.sluice.common.config.HostPort;
import io.sluice.proto.ServerId;
import io.sluice.server.ServerHeartbeatSource;
import io.sluice.server.adopt.Adopter;
import io.sluice.server.adopt.AdopterSteps;
import io.sluice.server.background.DemotionSteps;
import io.sluice.server.background.FanInPolicy;
import io.sluice.server.background.MergeConfig;
import io.sluice.server.background.MergeCounters;
import io.sluice.server.background.MergeWriter;
import io.sluice.server.background.Merger;
import io.sluice.server.background.ReportedMergeInputs;
import io.sluice.server.background.SpillConfig;
import io.sluice.server.background.SpillPolicy;
import io.sluice.server.background.Spiller;
import io.sluice.server.cluster.AdoptedData;
import io.sluice.server.cluster.ControlService;
import io.sluice.server.cluster.Decommission;
import io.sluice.server.cluster.DiskReport;
import io.sluice.server.cluster.HeartbeatConfig;
import io.sluice.server.cluster.Heartbeats;
import io.sluice.server.cluster.Mover;
import io.sluice.server.cluster.ProcessVitals;
import io.sluice.server.cluster.SimulatedMover;
import io.sluice.server.cluster.StoreReport;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.Disks;
import io.sluice.server.disk.PageCache;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.LeaseTable;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryConfig;
import io.sluice.server.read.DiskReadConfig;
import io.sluice.server.remote.RemoteTier;
import io.sluice.server.service.OverQuota;
import io.sluice.transport.server.RequestMemory;
import io.sluice.transport.server.TransportCounters;
import java.time.Clock;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/** The parts of a running process of a {@link SimulatedServer}, connected as in production. */
final class ServerParts {
  static final int SLAB_BYTES = 4096;

  private static final long REPLY_TIMEOUT_MS = 500;
  private static final long MOVE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int MAX_MOVE_PAUSES = 10_000;
  private static final long MERGE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long LEASE_MS = 60_000;
  private static final int COPY_BYTES = 16 << 10;
  private static final MergeConfig MERGES =
      new MergeConfig(
          Map.of(StorageKind.SSD, new FanInPolicy(3), StorageKind.HDD, new FanInPolicy(2)),
          512 << 10,
          1 << 30);

  final MemoryBudget memory;
  final ServerModel model;
  final Spiller spiller;
  final Merger merger;
  final MergeCounters merged = new MergeCounters();
  final Runnable demotion;
  final Mover mover;
  final Decommission decommission;
  final StoreReport report;
  final Heartbeats heartbeats;
  final Optional<RemoteTier> tier;
  final Optional<Adopter> adopter;
  final ControlService control;
  final ScheduledExecutorService executor;

  /** Work that may wait for a disk, one task after the other. */
  final Executor spills;

  final Executor upkeep;

  private final Set<Runnable> delayedReads = new LinkedHashSet<>();

  /** Counts the reads of the move, whose thread waits for the disk. */
  private final RequestMemory moveReads = new RequestMemory(1 << 30);

  /**
   * Starts the process, without heartbeats.
   *
   * @param remote its remote tier, if it has one
   * @param beforeRemoteCall see {@link ModelTier#open}
   * @param previousEpoch epoch of the previous process
   * @param readMemory memory of copies of file bytes
   * @param slowReads delay of a read in milliseconds; null: reads take no time
   */
  ServerParts(
      List<ModelDirectory> directories,
      Optional<ModelTier> remote,
      Runnable beforeRemoteCall,
      long previousEpoch,
      ServerSetup setup,
      ModelClock clock,
      Random random,
      Machine machine,
      List<HostPort> coordinators,
      Supplier<ServerId> self,
      ByteBufAllocator readMemory,
      Supplier<Integer> slowReads)
      throws Exception {
    executor = machine.executor();
    spills = machine.background("spill");
    upkeep = machine.background("upkeep");
    memory =
        new MemoryBudget(
            new MemoryConfig((long) setup.slabs() * SLAB_BYTES, SLAB_BYTES, 20, 10), clock);
    Spiller[] started = new Spiller[1];
    tier =
        remote.isPresent()
            ? Optional.of(remote.get().open(beforeRemoteCall, random))
            : Optional.empty();
    Optional<Disk> remoteDisk = tier.map(opened -> ModelTier.disk(opened, clock));
    model =
        new ServerModel(
            directories,
            previousEpoch,
            memory,
            clock,
            random,
            random,
            executor,
            unused -> {},
            () -> started[0] == null || started[0].canStore(),
            setup.isThrottled()
                ? throttledReads(readMemory, machine)
                : new ReadModel(readMemory, readers(slowReads)),
            remoteDisk.stream().toList());
    adopter =
        tier.map(opened -> AdopterSteps.of(opened, remoteDisk.get(), model.files, model.store));
    Disks disks = new Disks(model.disks);
    spiller =
        new Spiller(
            model.store,
            memory,
            disks,
            new SpillPolicy(SpillConfig.forCapacity(memory.capacityBytes(), 1 << 20)),
            model.spills,
            clock);
    started[0] = spiller;
    merger =
        new Merger(
            model.store,
            disks,
            MERGES,
            new MergeWriter(model.files, random, merged, new ReportedMergeInputs()),
            setup.isThrottled() ? disk -> waitForSpills(machine, disk) : unused -> false,
            merged,
            clock);
    demotion = DemotionSteps.of(disks, model.files, model.counters, clock, COPY_BYTES);
    mover = mover(readMemory, clock, random, machine, coordinators, self);
    decommission =
        new Decommission(() -> model.store.shuffleCount() == 0, model.admission, mover, clock);
    mover.onDone(decommission::check);
    report =
        new StoreReport(
            self.get().toBuilder().setEpoch(model.epoch()).build(),
            memory,
            model.store,
            model.counters,
            new TransportCounters(),
            () -> model.disks.stream().map(DiskReport::of).toList(),
            spiller::canStore,
            decommission,
            new ProcessVitals(ClusterSecurity.OFF.certificateExpiry(Clock.systemUTC())),
            clock);
    heartbeats =
        new Heartbeats(
            new HeartbeatConfig(coordinators, setup.heartbeatMs(), REPLY_TIMEOUT_MS),
            new ServerHeartbeatSource(
                report,
                model.store,
                List::of,
                decommission,
                mover,
                adopter.<AdoptedData>map(one -> one).orElse(AdoptedData.NONE),
                new OverQuota(),
                new AuditLog()),
            new LeaseTable(() -> TimeUnit.NANOSECONDS.toMillis(clock.getAsLong()), LEASE_MS),
            new Revocations(clock),
            executor,
            machine::channel);
    control = new ControlService(model.store, report, decommission, null, null, () -> {});
  }

  /** As in production, merges pause while spills have priority; the pause takes virtual time. */
  private boolean waitForSpills(Machine machine, Disk disk) {
    while (!executor.isShutdown() && (memory.pressure().tight() || spiller.isWriting(disk))) {
      machine.sleep(MERGE_PAUSE_NANOS);
    }
    return false;
  }

  private Function<Disk, Executor> readers(Supplier<Integer> slowReads) {
    return disk ->
        task -> {
          Integer delayMs = slowReads.get();
          if (delayMs == null) {
            task.run();
          } else {
            delayedReads.add(task);
            ScheduledFuture<?> unused =
                executor.schedule(() -> read(task), delayMs, TimeUnit.MILLISECONDS);
          }
        };
  }

  /** Reads as in production, on threads that wait for the disk. */
  private static ReadModel throttledReads(ByteBufAllocator readMemory, Machine machine) {
    return new ReadModel(
        DiskReadConfig.DEFAULT,
        PageCache.UNKNOWN,
        readMemory,
        disk -> machine.workers("reader of " + disk.name()));
  }

  private void read(Runnable task) {
    if (delayedReads.remove(task)) {
      task.run();
    }
  }

  /** Ends the reads that still wait, which fail: their directories are cut off. */
  void endReads(Machine machine) {
    List.copyOf(delayedReads).forEach(this::read);
    while (moveReads.usedBytes() > 0) {
      machine.sleep(MOVE_PAUSE_NANOS);
    }
  }

  /**
   * Waits for a move that copies blocks in memory together with blocks of a file: it releases them
   * when the disk answers.
   */
  void awaitMove(Machine machine) {
    for (int pause = 0; memory.usedBytes() > 0 && pause < MAX_MOVE_PAUSES; pause++) {
      machine.sleep(MOVE_PAUSE_NANOS);
    }
  }

  private Mover mover(
      ByteBufAllocator readMemory,
      ModelClock clock,
      Random random,
      Machine machine,
      List<HostPort> coordinators,
      Supplier<ServerId> self) {
    return SimulatedMover.of(
        model.store,
        model.admission,
        ServerModel.reads(
            moveReads, random, new ReadModel(readMemory, disk -> Runnable::run), executor, clock),
        model.reports,
        model.epoch(),
        coordinators,
        self,
        clock,
        clock,
        machine::blockingChannel,
        machine::transport,
        () -> machine.thread("move"));
  }
}
