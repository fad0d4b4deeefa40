package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.read.MissingBlocks;
import io.sluice.proto.ServerId;
import io.sluice.server.disk.Fsync;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.model.ServerSetup;
import io.sluice.server.model.SharedTier;
import io.sluice.server.model.SimulatedServer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/**
 * One schedule: coordinators, three servers and two applications, everything decided by one seed.
 * All steps are checked, and at the end nothing may be left.
 */
final class Simulation {
  private static final int SERVERS = 3;
  private static final List<Fsync> FSYNCS = List.of(Fsync.values());
  private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final long LONG_RETRY_MS = 30_000;
  private static final long SHORT_RETRY_MS = 300;
  private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long PROGRESS_NANOS = TimeUnit.MINUTES.toNanos(15);
  private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long MOVE_MS = 12_000;
  private static final int MAX_SECONDS_UNTIL_UNUSED = 400;

  /** One schedule of as many has a remote tier; the others are the same as without this choice. */
  private static final int WITHOUT_TIER = 4;

  private final Random random;
  private final Optional<SharedTier> tier;
  private final Workload workload;
  private final List<Fault> faults;
  private final SimulatedThreads time;
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true, true);
  private final SimulatedNetwork network;
  private final SimulatedCluster cluster;
  private final List<SimulatedApplication> applications = new ArrayList<>();
  private final Set<String> damaged = new HashSet<>();
  private final Set<String> inDoubt = new HashSet<>();
  private final boolean retriesLong;
  private long calmSinceNanos = Long.MAX_VALUE;
  private boolean faultsOver;
  private boolean over;

  /** Figures of a schedule, the same whenever it is repeated. */
  record Outcome(
      long virtualMs,
      long events,
      long messages,
      long networkFaults,
      int faults,
      int attempts,
      int failedAttempts,
      int speculations,
      int failedReads,
      long spills,
      long merges,
      long demotions,
      long movedBytes,
      long adoptions,
      int elections) {}

  private Simulation(
      long seed,
      Workload workload,
      List<Fault> faults,
      Executor carriers,
      Optional<SharedTier> tier)
      throws Exception {
    this.tier = tier;
    this.random = new FastRandom(seed * 0x9E3779B97F4A7C15L);
    this.workload = workload;
    this.faults = faults;
    this.time = new SimulatedThreads(carriers);
    this.network = new SimulatedNetwork(time, new FastRandom(random.nextLong()), allocator);
    this.retriesLong = random.nextBoolean();
    if (retriesLong && random.nextBoolean()) {
      network.beLate();
    }
    int coordinators = random.nextInt(3) == 0 ? 3 : 1;
    List<ServerSetup> setups = new ArrayList<>();
    boolean slow = random.nextInt(4) == 0;
    // With little memory and slow disks, pushes wait for memory.
    boolean small = slow || random.nextInt(4) == 0;
    for (int i = 0; i < SERVERS; i++) {
      setups.add(
          new ServerSetup(
              tier.isPresent()
                  ? List.of(StorageKind.SSD)
                  : List.of(StorageKind.SSD, StorageKind.HDD),
              (64 + random.nextInt(192)) << 10,
              small ? 8 + random.nextInt(8) : 24 + random.nextInt(40),
              FSYNCS.get(random.nextInt(FSYNCS.size())),
              slow ? 1 + random.nextInt(20) : 0,
              0,
              workload.heartbeatMs()));
    }
    this.cluster =
        new SimulatedCluster(
            time,
            network,
            new FastRandom(random.nextLong()),
            coordinators,
            workload.heartbeatMs(),
            setups,
            tier);
  }

  private static boolean hasTier(long seed) {
    return new FastRandom(seed * 0x9E3779B97F4A7C15L + 2).nextInt(WITHOUT_TIER) == 0;
  }

  /**
   * Runs a schedule.
   *
   * @param faults its faults, or some of them
   * @param carriers runs each thread of the simulation on a thread of its own
   * @throws AssertionError if a check fails
   */
  static Outcome run(long seed, Workload workload, List<Fault> faults, Executor carriers)
      throws Exception {
    Optional<SharedTier> tier = hasTier(seed) ? Optional.of(SharedTier.create()) : Optional.empty();
    try {
      Simulation simulation = new Simulation(seed, workload, faults, carriers, tier);
      try (LoggedErrors errors = LoggedErrors.collect(simulation.time);
          SimulatedThreads unused = simulation.time) {
        Outcome outcome = simulation.run();
        assertThat(errors.first()).as("internal errors in the log").isEmpty();
        return outcome;
      }
    } finally {
      if (tier.isPresent()) {
        tier.get().deleteLocal();
      }
    }
  }

  private Outcome run() throws Exception {
    network.onReadFailure(
        (server, cause) ->
            assertThat(damaged)
                .as("servers with damaged disks, but at %s: %s", server.name(), cause)
                .contains(server.name()));
    cluster.onLeave(this::checkMoved);
    time.advance(WARM_UP_NANOS);
    ReadCheck.Servers checks =
        new ReadCheck.Servers() {
          @Override
          public void check(
              ShuffleAssignment assignment, MissingBlocks missing, long startedNanos) {
            checkLoss(assignment, missing, startedNanos);
          }

          @Override
          public void checkStored(ShuffleAssignment assignment, List<Integer> partitions) {
            checkBlocks(assignment, partitions);
          }
        };
    for (int i = 0; i < 2; i++) {
      applications.add(
          new SimulatedApplication(
              time,
              network,
              cluster,
              new FastRandom(random.nextLong()),
              "application-" + i,
              retriesLong ? LONG_RETRY_MS : SHORT_RETRY_MS,
              i > 0,
              workload.moreMaps(),
              allocator,
              checks));
    }
    List<SimulatedThreads.Task> running = new ArrayList<>();
    for (SimulatedApplication one : applications) {
      running.add(time.start(one.name(), one::run));
    }
    inject();
    check();
    for (SimulatedThreads.Task one : running) {
      assertThat(time.await(one.end(), time.nanoTime() + PROGRESS_NANOS))
          .as("%s ends after the last fault", one)
          .isTrue();
    }
    waitUntilNothingIsUsed();
    for (SimulatedServer server : cluster.servers()) {
      if (server.hasLeftFiles()) {
        server.stop(() -> network.cut(server));
        server.start();
      }
      server.checks().checkEmpty();
    }
    tier.ifPresent(SharedTier::checkEmpty);
    assertThat(cluster.applications()).as("live applications").isZero();
    assertThat(network.openConnections()).as("open connections").isZero();
    over = true;
    Outcome outcome = outcome();
    cluster.close();
    assertThat(allocator.metric().usedDirectMemory()).as("memory of clients").isZero();
    return outcome;
  }

  /** Schedules the faults, and the end of all that last. */
  private void inject() {
    Fault.Target target =
        new Fault.Target() {
          @Override
          public SimulatedNetwork network() {
            return network;
          }

          @Override
          public SimulatedCluster cluster() {
            return cluster;
          }

          @Override
          public List<String> drivers() {
            return applications.stream().map(one -> SimulatedDriver.nameOf(one.name())).toList();
          }

          @Override
          public void damaged(SimulatedServer server) {
            damaged.add(server.name());
          }

          @Override
          public void inDoubt(SimulatedServer server) {
            inDoubt.add(server.name());
          }
        };
    for (Fault fault : faults) {
      time.schedule(TimeUnit.MILLISECONDS.toNanos(fault.atMs()), () -> fault.inject(target));
    }
    time.schedule(
        TimeUnit.MILLISECONDS.toNanos(Fault.LAST_MS),
        () -> {
          network.endFaults();
          cluster.endFaults();
          noteCalm();
          time.schedule(LATE_NANOS, () -> faultsOver = true);
        });
    time.schedule(
        TimeUnit.MILLISECONDS.toNanos(Fault.LAST_MS + MOVE_MS),
        () -> cluster.servers().forEach(SimulatedServer::cancelDecommission));
  }

  /** From the time when every process has run for a while, nothing more can be lost. */
  private void noteCalm() {
    time.schedule(
        SETTLE_NANOS,
        () -> {
          if (cluster.allRun()) {
            calmSinceNanos = time.nanoTime();
          } else {
            noteCalm();
          }
        });
  }

  private void check() {
    cluster.servers().forEach(server -> server.checks().checkMemory());
    if (!over) {
      time.schedule(CHECK_NANOS, this::check);
    }
  }

  private boolean canLoseData() {
    // Readers can ask a server whose data was adopted before their driver knows the adopter.
    return sum(SimulatedServer::adoptions) > 0
        || faults.stream().anyMatch(fault -> fault.kind().isDestructive());
  }

  /** Fails if a server that has moved its data has anything that no other server has. */
  private void checkMoved(SimulatedServer leaving) {
    List<SimulatedServer> others =
        cluster.servers().stream().filter(server -> server != leaving).toList();
    if (canLoseData() || !others.stream().allMatch(SimulatedServer::isRunning)) {
      return;
    }
    try {
      leaving.checks().checkMoved(others);
    } catch (Exception e) {
      throw new AssertionError("the server cannot be asked", e);
    }
  }

  /** Fails unless the blocks of a failed read can really be lost. */
  private void checkLoss(ShuffleAssignment assignment, MissingBlocks missing, long startedNanos) {
    MissingBlocks.Reason reason = missing.reason();
    assertThat(reason).as("%s", missing).isNotEqualTo(MissingBlocks.Reason.MISMATCH);
    // The winning attempt has its acknowledgements: servers know that they had its blocks.
    assertThat(reason).as("%s", missing).isNotEqualTo(MissingBlocks.Reason.NEVER_WRITTEN);
    if (reason == MissingBlocks.Reason.CORRUPT) {
      assertThat(damaged).as("servers with damaged disks, but %s", missing).isNotEmpty();
    }
    if (!canLoseData()) {
      assertThat(retriesLong).as("tasks wait for servers, but %s", missing).isFalse();
      if (reason != MissingBlocks.Reason.LOST
          || missing.servers().stream().noneMatch(inDoubt::contains)) {
        assertThat(reason)
            .as("nothing was lost, but %s", missing)
            .isEqualTo(MissingBlocks.Reason.UNREACHABLE);
      }
    }
    if (startedNanos > calmSinceNanos) {
      // A server of other partitions can have a copy, if a move to it ended before the driver knew.
      int range = assignment.rangeOf(missing.partition());
      for (int replica = 0; replica < assignment.replicaCount(range); replica++) {
        for (int at = 0; at < assignment.chainLength(range, replica); at++) {
          ServerId server = assignment.servers().get(assignment.chainServer(range, replica, at));
          checkAbsent(cluster.server(server.getName()), assignment, missing);
        }
      }
    }
  }

  private void checkAbsent(
      SimulatedServer server, ShuffleAssignment assignment, MissingBlocks missing) {
    if (damaged.contains(server.name())) {
      return;
    }
    try {
      assertThat(
              server
                  .checks()
                  .hasAttempt(assignment.shuffle(), missing.partition(), missing.mapAttempt()))
          .as("%s has the blocks of %s", server.name(), missing)
          .isFalse();
    } catch (Exception e) {
      throw new AssertionError("the server cannot be asked", e);
    }
  }

  private void checkBlocks(ShuffleAssignment assignment, List<Integer> partitions) {
    for (ServerId id : assignment.servers()) {
      SimulatedServer server = cluster.server(id.getName());
      try {
        server.checks().checkMarks(assignment.shuffle(), partitions);
        // An adopter stores its own copy, too.
        if (!damaged.contains(server.name()) && tier.isEmpty()) {
          server.checks().checkNoDuplicates(assignment.shuffle(), partitions.get(0));
        }
      } catch (Exception e) {
        throw new AssertionError("the server cannot be asked", e);
      }
    }
  }

  /**
   * Requests on the way arrive or are dropped. Servers that were down when an application ended
   * delete its data with its lease, other servers adopt what one left on the remote tier, and lost
   * disks are used again after several probes.
   */
  private void waitUntilNothingIsUsed() {
    for (int second = 0; second < MAX_SECONDS_UNTIL_UNUSED && isUsed(); second++) {
      time.advance(TimeUnit.SECONDS.toNanos(1));
    }
  }

  private boolean isUsed() {
    return !faultsOver
        || network.openConnections() > 0
        || allocator.metric().usedDirectMemory() > 0
        || !cluster.allRun()
        || cluster.applications() > 0
        || tier.map(SharedTier::hasRuns).orElse(false)
        || cluster.servers().stream()
            .anyMatch(server -> !server.applications().isEmpty() || server.runFiles() > 0);
  }

  private Outcome outcome() {
    List<SimulatedStage> stages =
        applications.stream().flatMap(one -> one.stages().stream()).toList();
    int attempts = stages.stream().mapToInt(SimulatedStage::attempts).sum();
    long spills = sum(SimulatedServer::spills);
    return new Outcome(
        TimeUnit.NANOSECONDS.toMillis(time.nanoTime()),
        network.messages() + spills + attempts + faults.size(),
        network.messages(),
        network.faults(),
        faults.size(),
        attempts,
        stages.stream().mapToInt(SimulatedStage::failedAttempts).sum(),
        stages.stream().mapToInt(SimulatedStage::speculations).sum(),
        stages.stream().mapToInt(SimulatedStage::failedReads).sum(),
        spills,
        sum(SimulatedServer::merges),
        sum(SimulatedServer::demotions),
        sum(SimulatedServer::movedBytes),
        sum(SimulatedServer::adoptions),
        cluster.elections());
  }

  private long sum(ToLongFunction<SimulatedServer> figure) {
    return cluster.servers().stream().mapToLong(figure).sum();
  }
}
