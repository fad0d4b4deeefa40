package io.sluice.server.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.auth.AuditLog;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.auth.Revocations;
import io.sluice.common.config.HostPort;
import io.sluice.proto.ServerId;
import io.sluice.server.ServerHeartbeatSource;
import io.sluice.server.background.FanInPolicy;
import io.sluice.server.background.MergeConfig;
import io.sluice.server.background.MergeCounters;
import io.sluice.server.background.MergeWriter;
import io.sluice.server.background.Merger;
import io.sluice.server.background.ReportedMergeInputs;
import io.sluice.server.background.SpillConfig;
import io.sluice.server.background.SpillPolicy;
import io.sluice.server.background.Spiller;
import io.sluice.server.cluster.ControlService;
import io.sluice.server.cluster.Decommission;
import io.sluice.server.cluster.DiskReport;
import io.sluice.server.cluster.HeartbeatConfig;
import io.sluice.server.cluster.Heartbeats;
import io.sluice.server.cluster.MoveConfig;
import io.sluice.server.cluster.Mover;
import io.sluice.server.cluster.ProcessVitals;
import io.sluice.server.cluster.StoreReport;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.Disks;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.LeaseTable;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.SpillBatch;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryConfig;
import io.sluice.server.service.OverQuota;
import io.sluice.transport.server.DataService;
import io.sluice.transport.server.TransportCounters;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A server machine of a simulation: production classes over disks in memory. Its process can crash,
 * stop and start again. Time, threads and network come from the caller. Belongs to one thread.
 */
public final class SimulatedServer {
  private static final long TICK_MS = 100;
  private static final long HEARTBEAT_MS = 500;
  private static final long LEASE_MS = 60_000;
  private static final int SLAB_BYTES = 4096;
  private static final int SLABS = 48;
  private static final long RUN_BYTES = 1 << 20;
  private static final MergeConfig MERGES =
      new MergeConfig(
          Map.of(StorageKind.SSD, new FanInPolicy(3), StorageKind.HDD, new FanInPolicy(2)),
          1 << 20,
          1 << 30);
  private static final StorageKind[] KINDS = {StorageKind.SSD, StorageKind.HDD};

  private final String name;
  private final int port;
  private final ModelClock clock;
  private final Random random;
  private final Supplier<ScheduledExecutorService> executors;
  private final List<HostPort> coordinators;
  private final Function<HostPort, ManagedChannel> channels;
  private List<ModelDirectory> directories = new ArrayList<>();
  private long epoch;
  private long endedSpills;
  private long endedMerges;
  private Parts process;

  /** The parts of a running process. */
  private record Parts(
      MemoryBudget memory,
      ServerModel model,
      Spiller spiller,
      Merger merger,
      MergeCounters merged,
      StoreReport report,
      Heartbeats heartbeats,
      ControlService control,
      ScheduledExecutorService executor) {}

  /**
   * @param executors makes the executor of a process, which is shut down at its end
   * @param channels opens channels to coordinators; owned by the process
   */
  public SimulatedServer(
      String name,
      int port,
      ModelClock clock,
      Random random,
      Supplier<ScheduledExecutorService> executors,
      List<HostPort> coordinators,
      Function<HostPort, ManagedChannel> channels) {
    this.name = name;
    this.port = port;
    this.clock = clock;
    this.random = random;
    this.executors = executors;
    this.coordinators = coordinators;
    this.channels = channels;
    for (int i = 0; i < KINDS.length; i++) {
      directories.add(ModelDirectory.create(name + "-disk-" + i, KINDS[i]));
    }
  }

  public String name() {
    return name;
  }

  public boolean isRunning() {
    return process != null;
  }

  /** Identity in the current epoch; of a process that ended, in its last one. */
  public ServerId id() {
    return ServerId.newBuilder()
        .setName(name)
        .setHost(name)
        .setRpcPort(port)
        .setNettyPort(port)
        .setEpoch(epoch)
        .build();
  }

  /** The data protocol of the running process. */
  public DataService service() {
    return process.model().service;
  }

  /** The control protocol of the running process. */
  public ControlService control() {
    return process.control();
  }

  /** Starts a process on the directories that the last one left. */
  public void start() throws Exception {
    ScheduledExecutorService executor = executors.get();
    MemoryBudget memory =
        new MemoryBudget(new MemoryConfig((long) SLABS * SLAB_BYTES, SLAB_BYTES, 20, 10), clock);
    ServerModel model =
        new ServerModel(directories, epoch, memory, clock, random, random, executor, unused -> {});
    epoch = model.epoch();
    Disks disks = new Disks(model.disks);
    Spiller spiller =
        new Spiller(
            model.store,
            memory,
            disks,
            new SpillPolicy(SpillConfig.forCapacity(memory.capacityBytes(), 1 << 20)),
            model.spills,
            clock);
    MergeCounters merged = new MergeCounters();
    Merger merger =
        new Merger(
            model.store,
            disks,
            MERGES,
            new MergeWriter(model.files, random, merged, new ReportedMergeInputs()),
            unused -> false,
            merged,
            clock);
    Mover mover =
        Mover.of(
            model.store,
            model.admission,
            model.reads,
            model.reports,
            epoch,
            UnpooledByteBufAllocator.DEFAULT,
            coordinators,
            new MoveConfig(1, 0),
            this::id,
            ClusterSecurity.OFF,
            Clock.systemUTC(),
            clock);
    Decommission decommission =
        new Decommission(() -> model.store.shuffleCount() == 0, mover, clock);
    StoreReport report =
        new StoreReport(
            id(),
            memory,
            model.store,
            model.counters,
            new TransportCounters(),
            () -> model.disks.stream().map(DiskReport::of).toList(),
            spiller::canStore,
            decommission,
            new ProcessVitals(ClusterSecurity.OFF.certificateExpiry(Clock.systemUTC())),
            clock);
    Heartbeats heartbeats =
        new Heartbeats(
            new HeartbeatConfig(coordinators, HEARTBEAT_MS, HEARTBEAT_MS),
            new ServerHeartbeatSource(
                report,
                model.store,
                List::of,
                decommission,
                mover,
                new OverQuota(),
                new AuditLog()),
            new LeaseTable(clock::millis, LEASE_MS),
            new Revocations(Clock.systemUTC()),
            executor,
            channels);
    ControlService control = new ControlService(model.store, report, decommission, null, () -> {});
    process =
        new Parts(memory, model, spiller, merger, merged, report, heartbeats, control, executor);
    memory.onPressure(() -> executor.execute(spiller::spillNow));
    heartbeats.start();
    ScheduledFuture<?> unused =
        executor.scheduleWithFixedDelay(this::tick, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
  }

  /** What the threads of a server do from time to time. */
  private void tick() {
    process.spiller().spillNow();
    if (random.nextInt(4) == 0) {
      process.merger().mergeNext();
    }
    process.model().housekeep();
    process.report().sample();
  }

  /**
   * The process ends at once: what is in memory is lost, and what it still does changes nothing.
   */
  public void crash() {
    List<ModelDirectory> left = directories.stream().map(ModelDirectory::afterCrash).toList();
    directories.forEach(ModelDirectory::cutOff);
    directories = left;
    end();
  }

  /** The process writes everything to disk and ends. */
  public void stop() throws Exception {
    for (ShuffleLog log : process.model().store.logs()) {
      for (SpillBatch batch = log.takeForSpill(RUN_BYTES);
          batch != null && process.model().spills.write(batch, anyDisk());
          batch = log.takeForSpill(RUN_BYTES)) {}
    }
    process.model().housekeep();
    process.model().writeStopMark();
    directories = directories.stream().map(ModelDirectory::afterCrash).toList();
    end();
  }

  private Disk anyDisk() {
    List<Disk> disks = process.model().disks;
    return disks.get(random.nextInt(disks.size()));
  }

  private void end() {
    Parts ending = process;
    process = null;
    endedSpills += ending.model().counters.spilledRuns();
    endedMerges += ending.merged().merges();
    ending.heartbeats().close();
    ending.executor().shutdownNow();
    ending.model().end();
    assertThat(ending.memory().usedBytes()).as("memory of %s after its end", name).isZero();
    ending.memory().close();
  }

  /** Runs that were spilled, by all processes. */
  public long spills() {
    return endedSpills + (process == null ? 0 : process.model().counters.spilledRuns());
  }

  /** Merges that ended, of all processes. */
  public long merges() {
    return endedMerges + (process == null ? 0 : process.merged().merges());
  }

  /** Makes the n-th call to one of the disks fail. */
  public void failDiskCall(int n) {
    directories.get(random.nextInt(directories.size())).storage().failAtCall(n);
  }

  /** Applications of which the server stores data. */
  public List<String> applications() {
    return process.model().store.applications();
  }

  /** Fails unless no data and no memory is left. */
  public void checkEmpty() throws Exception {
    process.model().housekeep();
    assertThat(process.model().store.shuffleCount()).as("shuffles at %s", name).isZero();
    assertThat(process.memory().usedBytes()).as("memory of %s", name).isZero();
    assertThat(process.model().files.count()).as("run files of %s", name).isZero();
  }
}
