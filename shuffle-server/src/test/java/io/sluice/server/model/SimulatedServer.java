package io.sluice.server.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.config.HostPort;
import io.sluice.proto.ServerId;
import io.sluice.server.adopt.Adopter;
import io.sluice.server.adopt.AdopterSteps;
import io.sluice.server.background.ScrubSteps;
import io.sluice.server.catalog.CleanStop;
import io.sluice.server.cluster.ControlService;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.Fsync;
import io.sluice.server.disk.InMemoryStorage;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.disk.WatchSteps;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.SpillBatch;
import io.sluice.transport.server.DataService;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A server machine of a simulation: production classes over disks in memory. Its process can crash,
 * stop, pause and start again, and the whole machine can crash. Time, threads and network come from
 * the caller. Belongs to a simulation.
 */
public final class SimulatedServer {
  private static final long TICK_MS = 200;
  private static final int TICKS_PER_CHECK = 5;

  /** Number of calls to a slow disk of which one takes time, on average. */
  private static final int SLOW_CALLS = 6;

  private static final long LAST_HEARTBEAT_MS = 2_000;
  private static final long REPLY_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long RUN_BYTES = 1 << 20;
  private static final long HDD_BYTES = 1L << 40;

  private final String name;
  private final int port;
  private final ServerSetup setup;
  private final ModelClock clock;
  private final Random random;
  private final Supplier<Machine> machines;
  private final List<HostPort> coordinators;
  private final Optional<SharedTier> shared;
  private final UnpooledByteBufAllocator readMemory =
      new UnpooledByteBufAllocator(true, true, true);
  private final ServerChecks checks = new ServerChecks(this);
  private List<ModelDirectory> directories = new ArrayList<>();
  private Optional<ModelTier> remote = Optional.empty();
  private int replacements;

  /** The epoch of {@link CleanStop#NONE} is no real one. */
  private long epoch = CleanStop.NONE.epoch();

  private long spills;
  private long merges;
  private long demotions;
  private long movedBytes;
  private long adoptions;
  private long pausedUntilNanos;
  private boolean slow;
  private Machine machine;
  private ServerParts process;
  private boolean isEnding;

  /** Whether the process has closed its connections, and will close its storage. */
  private boolean isLeaving;

  /**
   * @param random source of run ids and of everything that a process decides at random
   * @param machines returns the environment of a process that starts
   * @param shared remote tier of all servers, if they have one
   */
  public SimulatedServer(
      String name,
      int port,
      ServerSetup setup,
      ModelClock clock,
      Random random,
      Supplier<Machine> machines,
      List<HostPort> coordinators,
      Optional<SharedTier> shared)
      throws IOException {
    this.name = name;
    this.port = port;
    this.setup = setup;
    this.clock = clock;
    this.random = random;
    this.machines = machines;
    this.coordinators = coordinators;
    this.shared = shared;
    replaceDisks();
  }

  /** The next process starts with new disks, as a server that returns after a decommission. */
  public final void replaceDisks() throws IOException {
    directories = new ArrayList<>();
    for (StorageKind kind : setup.kinds()) {
      ModelDirectory directory = ModelDirectory.create(name + "-disk-" + directories.size(), kind);
      if (kind == StorageKind.SSD) {
        directory.storage().capacityBytes(setup.ssdBytes());
        directory.storage().failWhenFull(true);
      }
      directory.storage().fsync(setup.fsync());
      directory.catalog().keepSynced(setup.fsync() == Fsync.RUN);
      directories.add(directory);
    }
    if (shared.isPresent()) {
      String local = name + "-" + replacements++;
      remote =
          Optional.of(new ModelTier(shared.get().files(), shared.get().local().resolve(local)));
    }
  }

  public String name() {
    return name;
  }

  public boolean isRunning() {
    return process != null;
  }

  /** Whether a process runs that accepts connections for data. */
  public boolean acceptsConnections() {
    return process != null && !isLeaving;
  }

  /** Whether a process is about to end: no other one may start yet. */
  public boolean isEnding() {
    return isEnding;
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

  /** Checks of the data that the server has. */
  public ServerChecks checks() {
    return checks;
  }

  /** The running process; null if there is none. */
  ServerParts process() {
    return process;
  }

  /** The environment of the running process. */
  Machine machine() {
    return machine;
  }

  List<ModelDirectory> directories() {
    return directories;
  }

  Optional<ModelTier> remote() {
    return remote;
  }

  /** Allocator of the memory for reads. */
  UnpooledByteBufAllocator readMemory() {
    return readMemory;
  }

  /** The data protocol of the running process. */
  public DataService service() {
    return process.model.service;
  }

  /** The control protocol of the running process. */
  public ControlService control() {
    return process.control;
  }

  /** Starts a process on the directories that the last one left. */
  public void start() throws Exception {
    machine = machines.get();
    slow = false;
    pausedUntilNanos = 0;
    Machine environment = machine;
    for (ModelDirectory directory : directories) {
      directory.storage().beforeCall(this::diskCall);
      if (setup.isThrottled()) {
        ModelDisk disk =
            new ModelDisk(setup.diskBytesPerSecond(), environment::nanoTime, environment::sleep);
        directory.storage().beforeTransfer(disk::transfer);
      }
    }
    ServerParts started =
        new ServerParts(
            directories,
            remote,
            this::diskCall,
            epoch,
            setup,
            clock,
            random,
            machine,
            coordinators,
            this::id,
            readMemory,
            () -> slow ? random.nextInt(setup.slowMs()) : null);
    epoch = started.model.epoch();
    process = started;
    slow = setup.slowMs() > 0;
    started.memory.onPressure(
        () -> started.executor.execute(() -> started.spills.execute(() -> spill(started))));
    started.heartbeats.start();
    int[] ticks = new int[1];
    ScheduledFuture<?> unused =
        started.executor.scheduleWithFixedDelay(
            () -> tick(started, ticks[0]++), TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
  }

  private void diskCall() {
    if (slow && random.nextInt(SLOW_CALLS) == 0) {
      machine.sleep(TimeUnit.MILLISECONDS.toNanos(random.nextInt(setup.slowMs())));
    }
  }

  private void spill(ServerParts of) {
    if (of == process) {
      of.spiller.spillNow();
    }
  }

  /** What the threads of a server do from time to time. */
  private void tick(ServerParts of, int number) {
    if (of.memory.usedBytes() > 0) {
      of.spills.execute(() -> spill(of));
    }
    boolean check = number % TICKS_PER_CHECK == 0;
    if (check || of.model.files.count() > 0) {
      boolean merge = random.nextInt(4) == 0;
      of.upkeep.execute(() -> upkeep(of, merge, check));
    }
  }

  private void upkeep(ServerParts of, boolean merge, boolean check) {
    if (of != process) {
      return;
    }
    if (merge) {
      of.merger.mergeNext();
      of.demotion.run();
    }
    of.adopter.ifPresent(AdopterSteps::run);
    if (check && of == process) {
      WatchSteps.check(of.model.watch);
      for (int i = 0; i < of.model.disks.size(); i++) {
        WatchSteps.check(of.model.watch, i);
      }
      of.report.sample();
      of.decommission.check();
      sync(of);
    }
    if (of == process) {
      of.model.housekeep();
    }
  }

  private void sync(ServerParts of) {
    if (setup.fsync() == Fsync.INTERVAL) {
      for (Disk disk : of.model.disks) {
        try {
          disk.storage().sync();
          disk.catalog().sync();
        } catch (IOException e) {
          // As in production, the next interval tries again.
        }
      }
    }
  }

  /** The process ends at once: what is in memory is lost, and it changes nothing any longer. */
  public void crash() {
    end(directories.stream().map(ModelDirectory::afterCrash).toList());
  }

  /** The machine ends at once: files that were not synced can be lost, too. */
  public void crashMachine() {
    end(directories.stream().map(each -> each.afterMachineCrash(random)).toList());
  }

  private void end(List<ModelDirectory> left) {
    directories.forEach(ModelDirectory::cutOff);
    remote.ifPresent(ModelTier::end);
    directories = left;
    ServerParts ending = process;
    process = null;
    isEnding = true;
    isLeaving = false;
    spills += ending.model.counters.spilledRuns();
    merges += ending.merged.merges();
    demotions += ending.model.counters.demotedRuns();
    movedBytes += ending.mover.movedBytes();
    adoptions += adoptions(ending);
    ending.heartbeats.close();
    machine.end();
    machine.await(ending.spills);
    machine.await(ending.upkeep);
    ending.endReads(machine);
    ending.model.end();
    ending.awaitMove(machine);
    assertThat(ending.memory.usedBytes()).as("memory of %s after its end", name).isZero();
    ending.memory.close();
    isEnding = false;
  }

  /**
   * The process writes everything to disk and ends; a caller may have to wait for the disks.
   *
   * @param disconnect closes the connections for data, before the storage is closed
   */
  public void stop(Runnable disconnect) throws Exception {
    ServerParts stopping = process;
    stopping.model.admission.stop();
    machine.await(stopping.spills);
    if (stopping != process) {
      return;
    }
    slow = false;
    for (ShuffleLog log : stopping.model.store.logs()) {
      for (SpillBatch batch = log.takeForSpill(RUN_BYTES);
          batch != null && stopping.model.spills.write(batch, anyDisk(stopping));
          batch = log.takeForSpill(RUN_BYTES)) {}
    }
    stopping.model.housekeep();
    stopping.model.writeStopMark(setup.fsync() != Fsync.NEVER);
    isLeaving = stopping.decommission.hasEnded();
    disconnect.run();
    if (stopping.decommission.hasMoved()) {
      stopping.adopter.ifPresent(Adopter::leave);
      stopping.model.store.deleteRunsAtClose();
      stopping.model.store.close();
      stopping.model.housekeep();
    }
    if (isLeaving) {
      stopping.decommission.leave();
      int[] answers = new int[1];
      stopping.heartbeats.report(LAST_HEARTBEAT_MS, () -> answers[0]++);
      while (stopping == process && answers[0] < stopping.heartbeats.coordinators()) {
        machine.sleep(REPLY_POLL_NANOS);
      }
      if (stopping != process) {
        return;
      }
    }
    end(directories.stream().map(ModelDirectory::afterCrash).toList());
  }

  private Disk anyDisk(ServerParts of) {
    List<Disk> slow = of.model.disks.stream().filter(one -> one.kind() != StorageKind.SSD).toList();
    return slow.get(random.nextInt(slow.size()));
  }

  /** The process does nothing until a time, and then continues. */
  public void pauseUntil(long nanos) {
    pausedUntilNanos = Math.max(pausedUntilNanos, nanos);
  }

  /** End of the current pause, or an earlier time. */
  public long pausedUntilNanos() {
    return pausedUntilNanos;
  }

  /** Orders a decommission that moves all data to other servers. */
  public void decommission() {
    process.decommission.begin(0, true);
  }

  /** Cancels a decommission, unless the process ends already. */
  public void cancelDecommission() {
    if (process != null) {
      process.decommission.cancel();
    }
  }

  /** Whether the process must exit, because all its data was moved. */
  public boolean isDecommissioned() {
    return process != null && process.decommission.hasEnded();
  }

  /** Makes the n-th call to one of the disks fail. */
  public void failDiskCall(int n) {
    anyStorage().failAtCall(n);
  }

  /** Makes every write to one of the disks short. */
  public void shortWrites(int bytes) {
    anyStorage().maxBytesPerWrite(bytes);
  }

  /** Makes every read of one of the disks fail, until {@link #endDiskFaults}. */
  public void failReads() {
    anyStorage().failReads(true);
  }

  /** Fills one of the disks, until {@link #endDiskFaults}. */
  public void fillDisk() {
    InMemoryStorage storage = anyStorage();
    storage.failWhenFull(true);
    storage.capacityBytes(Math.max(1, storage.files().stream().mapToLong(storage::length).sum()));
  }

  /** One of the directories vanishes with its files, until {@link #endDiskFaults}. */
  public void loseDirectory() {
    anyStorage().vanished(true);
  }

  /** Flips a bit of a file, and lets the scrubber verify the disk of it. */
  public void flipBit(boolean scrub) {
    ServerParts of = process;
    List<Disk> disks = of.model.disks.subList(0, directories.size());
    for (int i = random.nextInt(disks.size()), tries = 0; tries < disks.size(); i++, tries++) {
      int at = i % disks.size();
      InMemoryStorage storage = directories.get(at).storage();
      List<String> runs =
          storage.files().stream().filter(file -> RunFiles.runId(file).isPresent()).toList();
      if (!runs.isEmpty()) {
        String file = runs.get(random.nextInt(runs.size()));
        storage.flip(file, random.nextInt(storage.length(file)));
        if (scrub) {
          machine.thread("scrub").execute(() -> scrub(of, disks.get(at)));
        }
        return;
      }
    }
  }

  private void scrub(ServerParts of, Disk disk) {
    if (of == process) {
      ScrubSteps.scrub(
          disk,
          of.model.files,
          of.model.watch,
          ms -> machine.sleep(TimeUnit.MILLISECONDS.toNanos(ms)));
    }
  }

  /** Disks and directories work again. */
  public void endDiskFaults() {
    for (ModelDirectory directory : directories) {
      directory.endFaults();
      directory.storage().vanished(false);
      directory
          .storage()
          .capacityBytes(
              directory.storage().kind() == StorageKind.SSD ? setup.ssdBytes() : HDD_BYTES);
    }
  }

  private InMemoryStorage anyStorage() {
    return directories.get(random.nextInt(directories.size())).storage();
  }

  /** Runs that were spilled, by all processes. */
  public long spills() {
    return spills + (process == null ? 0 : process.model.counters.spilledRuns());
  }

  /** Merges that ended, of all processes. */
  public long merges() {
    return merges + (process == null ? 0 : process.merged.merges());
  }

  /** Runs that were demoted, by all processes. */
  public long demotions() {
    return demotions + (process == null ? 0 : process.model.counters.demotedRuns());
  }

  /** Bytes that were moved to other servers, by all processes. */
  public long movedBytes() {
    return movedBytes + (process == null ? 0 : process.mover.movedBytes());
  }

  /** Directories of the remote tier that were adopted; those kept by a restart count again. */
  public long adoptions() {
    return adoptions + (process == null ? 0 : adoptions(process));
  }

  private static long adoptions(ServerParts of) {
    return of.tier.map(tier -> tier.adopted().size()).orElse(0);
  }

  /** Applications of which the server stores data. */
  public List<String> applications() {
    return process.model.store.applications();
  }

  /** Run files that are referenced or wait for deletion. */
  public int runFiles() {
    return process.model.files.count();
  }

  /**
   * Whether the running process has left damaged files, which its next start deletes: its recovery
   * could not read them, or it skipped them when it adopted their directory.
   */
  public boolean hasLeftFiles() {
    return process.model.recovered.lostRuns() > 0
        || process
            .tier
            .map(tier -> shared.orElseThrow().hasSkippedRuns(tier.storage()))
            .orElse(false);
  }
}
