package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.client.coordinator.LeasedApplicationSession;
import io.sluice.client.fake.VirtualTime;
import io.sluice.client.push.PushConfig;
import io.sluice.client.read.BlocksMissingException;
import io.sluice.client.read.MissingBlocks;
import io.sluice.client.read.ReadConfig;
import io.sluice.client.server.ConnectionPool;
import io.sluice.client.server.DirectMemory;
import io.sluice.client.server.RetryPolicy;
import io.sluice.client.server.ServerHealth;
import io.sluice.client.server.TaskEnvironment;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.test.TestEffort;
import io.sluice.server.model.SimulatedServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: a job reads exactly the blocks of its winning map attempts, whatever fails meanwhile; lost
 * map output is named and computed again; nothing is left when the application has ended. Method:
 * jobs on a coordinator and two servers in one thread, with connections that are cut and stand
 * still, servers that crash and restart, disks that fail, and a coordinator that restarts. A
 * failing case prints its seed as the argument, and fails again in the same way.
 */
class ClusterSimulationTest {
  private static final int SERVERS = 2;
  private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final long FAULTS_UNTIL_MS = 1500;
  private static final long MAX_DOWN_MS = 3000;
  private static final int SECONDS_UNTIL_LEASES_EXPIRE = 90;

  static LongStream seeds() {
    return LongStream.range(0, TestEffort.times(100));
  }

  /** Figures of a run, the same whenever it is repeated. */
  private record Outcome(
      long nanos,
      long requests,
      int crashes,
      int failedAttempts,
      int failedReads,
      long spills,
      long merges) {}

  @ParameterizedTest
  @MethodSource("seeds")
  void readsExactlyTheBlocksOfTheWinningAttempts(long seed) throws Exception {
    run(seed);
  }

  @Test
  void runsTheSameAgainFromTheSameSeed() throws Exception {
    for (long seed = 0; seed < 5; seed++) {
      assertThat(run(seed)).isEqualTo(run(seed));
    }
  }

  @Test
  void meetsFailuresSpillsAndMerges() throws Exception {
    List<Outcome> outcomes = new ArrayList<>();
    for (long seed = 0; seed < 60; seed++) {
      outcomes.add(run(seed));
    }
    assertThat(outcomes.stream().mapToLong(Outcome::crashes).sum()).isGreaterThan(10);
    assertThat(outcomes.stream().mapToLong(Outcome::failedAttempts).sum()).isPositive();
    assertThat(outcomes.stream().mapToLong(Outcome::failedReads).sum()).isPositive();
    assertThat(outcomes.stream().mapToLong(Outcome::spills).sum()).isGreaterThan(100);
    assertThat(outcomes.stream().mapToLong(Outcome::merges).sum()).isGreaterThan(10);
  }

  private static Outcome run(long seed) throws Exception {
    Random random = new Random(seed * 0x9E3779B97F4A7C15L);
    VirtualTime time = new VirtualTime();
    UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, false, false);
    SimulatedNetwork network = new SimulatedNetwork(time, random, allocator);
    Outcome outcome;
    try (SimulatedCluster cluster = new SimulatedCluster(time, random, network, SERVERS)) {
      time.advance(WARM_UP_NANOS);
      ConnectionPool pool =
          new ConnectionPool(network, "application", "task", 2, new ApplicationCredentials());
      LeasedApplicationSession session =
          cluster.session("application", 1 + random.nextInt(SERVERS));
      boolean waitsForRestarts = random.nextBoolean();
      SimulatedJob job =
          job(
              time,
              random,
              network,
              session,
              pool,
              allocator,
              waitsForRestarts ? 10 * MAX_DOWN_MS : MAX_DOWN_MS / 10);
      boolean diskFaults = random.nextInt(3) == 0;
      network.faults(random.nextInt(3) * 4, random.nextInt(2) * 10);
      scheduleFaults(time, random, cluster, diskFaults);
      job.run();
      network.faults(0, 0);
      if (cluster.crashes() == 0 && !diskFaults) {
        checkThatNothingWasLost(job.lastFailedRead(), waitsForRestarts);
      }
      session.close();
      pool.close();
      network.close();
      time.advance(TimeUnit.SECONDS.toNanos(10));
      checkThatNothingIsLeft(time, cluster);
      outcome =
          new Outcome(
              time.nanoTime(),
              network.requests(),
              cluster.crashes(),
              job.failedAttempts(),
              job.failedReads(),
              cluster.servers().stream().mapToLong(SimulatedServer::spills).sum(),
              cluster.servers().stream().mapToLong(SimulatedServer::merges).sum());
    }
    assertThat(allocator.metric().usedDirectMemory()).as("memory of the client").isZero();
    return outcome;
  }

  /** A server that stops and starts again keeps its data; a reader may not wait for it. */
  private static void checkThatNothingWasLost(
      BlocksMissingException failedRead, boolean waitsForRestarts) {
    if (failedRead != null) {
      assertThat(waitsForRestarts).as("waits for servers, but %s", failedRead).isFalse();
      assertThat(failedRead.missing())
          .as("blocks missing without a crash")
          .allMatch(missing -> missing.reason() == MissingBlocks.Reason.UNREACHABLE);
    }
  }

  private static SimulatedJob job(
      VirtualTime time,
      Random random,
      SimulatedNetwork network,
      LeasedApplicationSession session,
      ConnectionPool pool,
      UnpooledByteBufAllocator allocator,
      long retryPeriodMs) {
    int frame = 4096 << random.nextInt(3);
    RetryPolicy retry = new RetryPolicy(1000, 1, 50, retryPeriodMs);
    return new SimulatedJob(
        time,
        random,
        network,
        session,
        new TaskEnvironment(
            pool, new ServerHealth(1000, time::nanoTime), new DirectMemory(Long.MAX_VALUE), time),
        new PushConfig(
            frame,
            frame * (1L + random.nextInt(6)),
            1,
            random.nextBoolean() ? BlockCodec.LZ4 : BlockCodec.NONE,
            1,
            retry,
            retry),
        new ReadConfig(
            1024 + random.nextInt(8192),
            1 + random.nextInt(4),
            1 << 30,
            20_000,
            Integer.MAX_VALUE,
            retry),
        allocator);
  }

  private static void scheduleFaults(
      VirtualTime time, Random random, SimulatedCluster cluster, boolean diskFaults) {
    for (int i = random.nextInt(4); i > 0; i--) {
      time.schedule(
          TimeUnit.MILLISECONDS.toNanos(random.nextLong(FAULTS_UNTIL_MS)),
          () -> {
            SimulatedServer server = cluster.servers().get(random.nextInt(SERVERS));
            long downMs = 1 + random.nextLong(MAX_DOWN_MS);
            switch (random.nextInt(diskFaults ? 5 : 3)) {
              case 0 -> cluster.crash(server, downMs);
              case 1 -> restart(cluster, server, downMs);
              case 2 -> cluster.crashCoordinator(downMs);
              default -> server.failDiskCall(1 + random.nextInt(6));
            }
          });
    }
  }

  private static void restart(SimulatedCluster cluster, SimulatedServer server, long downMs) {
    try {
      cluster.restart(server, downMs);
    } catch (Exception e) {
      throw new AssertionError("the server does not stop", e);
    }
  }

  /** Servers that were down when the application ended delete its data with its lease. */
  private static void checkThatNothingIsLeft(VirtualTime time, SimulatedCluster cluster)
      throws Exception {
    for (int second = 0; second < SECONDS_UNTIL_LEASES_EXPIRE && isInUse(cluster); second++) {
      time.advance(TimeUnit.SECONDS.toNanos(1));
    }
    for (SimulatedServer server : cluster.servers()) {
      server.checkEmpty();
    }
    assertThat(cluster.coordinator().applications()).as("live applications").isZero();
  }

  private static boolean isInUse(SimulatedCluster cluster) {
    return !cluster.coordinator().isRunning()
        || cluster.coordinator().applications() > 0
        || cluster.servers().stream()
            .anyMatch(server -> !server.isRunning() || !server.applications().isEmpty());
  }
}
