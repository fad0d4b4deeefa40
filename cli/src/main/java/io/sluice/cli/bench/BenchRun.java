package io.sluice.cli.bench;

import io.sluice.cli.bench.BenchCluster.Share;
import io.sluice.cli.bench.BenchConnections.To;
import io.sluice.cli.control.ControlChannel;
import io.sluice.cli.control.ControlIdentity;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.common.config.HostPort;
import io.sluice.common.net.DaemonThreads;
import io.sluice.proto.GetStatusReply;
import io.sluice.proto.ServerId;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.DataTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/** One benchmark: owns its application, transport and threads. Used by the main thread. */
public final class BenchRun implements AutoCloseable {
  private final BenchLoad load;
  private final ProgressLine.Factory progress;
  private final ScheduledExecutorService scheduler;
  private final DataTransport transport;
  private final BenchCluster cluster;
  private final CpuClock cpu = new CpuClock();

  private BenchRun(
      BenchLoad load,
      ProgressLine.Factory progress,
      ScheduledExecutorService scheduler,
      DataTransport transport,
      BenchCluster cluster) {
    this.load = load;
    this.progress = progress;
    this.scheduler = scheduler;
    this.transport = transport;
    this.cluster = cluster;
  }

  /**
   * Cluster and user of a benchmark.
   *
   * @param localAddress address of the benchmark's end of data connections; empty: the kernel
   *     chooses it
   */
  public record Target(
      List<HostPort> coordinators,
      long timeoutMs,
      ControlIdentity identity,
      Optional<InetAddress> localAddress) {
    public Target(List<HostPort> coordinators, long timeoutMs, ControlIdentity identity) {
      this(coordinators, timeoutMs, identity, Optional.empty());
    }

    /** Target with the identity from the environment. */
    static Target of(QuorumOptions quorum) {
      return new Target(quorum.coordinators(), quorum.timeoutMs(), ControlIdentity.ofEnvironment());
    }

    /** A new, unique application name. */
    public String freshApplication() {
      return identity.applicationName(BenchNames.fresh());
    }
  }

  /** Connects to a coordinator and registers the application. */
  public static BenchRun start(
      BenchLoad load, Target target, ProgressLine.Factory progress, String application)
      throws IOException {
    ScheduledExecutorService scheduler =
        Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("bench-scheduler"));
    DataTransport transport = null;
    BenchCluster cluster = null;
    try {
      transport = load.newTransport(target);
      cluster =
          new BenchCluster(
              ControlChannel.firstCoordinator(
                  target.coordinators(), target.timeoutMs(), target.identity()),
              scheduler,
              target.timeoutMs(),
              target.identity(),
              application);
      cluster.register();
      return new BenchRun(load, progress, scheduler, transport, cluster);
    } catch (IOException | RuntimeException failure) {
      if (cluster != null) {
        cluster.close();
      }
      if (transport != null) {
        transport.close();
      }
      scheduler.shutdownNow();
      throw failure;
    }
  }

  public BenchCluster cluster() {
    return cluster;
  }

  /** Called when all connections are open; the load starts when it returns. */
  public interface StartGate {
    void await() throws IOException, InterruptedException;
  }

  /** Pushes the blocks of the load. */
  public BenchReport push() throws IOException, InterruptedException {
    return push(() -> {});
  }

  /** Pushes the blocks of the load once the gate is open. */
  public BenchReport push(StartGate gate) throws IOException, InterruptedException {
    List<Share> shares = cluster.assign(load.partitions());
    PushBenchPlan plan = load.pushPlan();
    byte[] payload = new byte[plan.payloadLength()];
    // Random bytes: only the checksum of a payload is computed.
    RandomGenerator.of("L64X128MixRandom").nextBytes(payload);
    try (BenchConnections connections = connect(shares);
        ProgressLine line = progress.start("push", plan.payloadBytes())) {
      List<PushWorker> workers = new ArrayList<>();
      int count = connections.all().size();
      for (int i = 0; i < count; i++) {
        To to = connections.all().get(i);
        workers.add(
            new PushWorker(
                to.connection(),
                cluster.shuffle(),
                i,
                to.share().partitions(),
                plan.blocksOf(i, count),
                plan,
                payload));
      }
      gate.await();
      return measured("push", shares, workers, line, plan::blocks);
    }
  }

  /**
   * Fetches all data of the application.
   *
   * @param shares servers and partitions to open
   * @param expectedBlocks expected number of blocks; negative: unknown
   */
  public BenchReport fetch(List<Share> shares, long expectedBlocks)
      throws IOException, InterruptedException {
    AtomicLong blocks = new AtomicLong();
    try (BenchConnections connections = connect(shares)) {
      Map<ServerId, FetchPlan> plans = new HashMap<>();
      long bytes = 0;
      for (To to : connections.all()) {
        if (!plans.containsKey(to.share().server())) {
          FetchPlan plan = plan(to.connection(), to.share());
          plans.put(to.share().server(), plan);
          bytes += plan.bytes();
        }
      }
      if (bytes == 0) {
        throw new IOException(
            "no server stores data of application "
                + cluster.application()
                + " in partitions 0.."
                + (load.partitions() - 1));
      }
      List<FetchWorker> workers = new ArrayList<>();
      for (To to : connections.all()) {
        ServerId server = to.share().server();
        workers.add(
            new FetchWorker(to.connection(), server.getName(), plans.get(server).work(), blocks));
      }
      BenchReport report;
      try (ProgressLine line = progress.start("fetch", bytes)) {
        report = measured("fetch", shares, workers, line, blocks::get);
      }
      if (expectedBlocks >= 0 && blocks.get() != expectedBlocks) {
        throw new IOException(
            "wrong number of blocks: expected=" + expectedBlocks + " fetched=" + blocks.get());
      }
      return report;
    }
  }

  private FetchPlan plan(DataConnection connection, Share share)
      throws IOException, InterruptedException {
    return FetchPlan.of(
        connection, share, cluster.shuffle(), load.frameBytes(), load.requestTimeoutMs());
  }

  private BenchConnections connect(List<Share> shares) throws IOException, InterruptedException {
    int count = Math.max(load.connections(), shares.size());
    return BenchConnections.open(
        transport, shares, count, cluster.application(), load.requestTimeoutMs());
  }

  private BenchReport measured(
      String benchmark,
      List<Share> shares,
      List<? extends BenchWorker> workers,
      ProgressLine line,
      java.util.function.LongSupplier blocks)
      throws IOException, InterruptedException {
    LoadGenerator generator =
        new LoadGenerator(
            load.inFlight(), load.requestsInFlight(), scheduler, System::nanoTime, line::advance);
    Map<String, GetStatusReply> before = cluster.statuses(shares);
    long cpuBefore = cpu.nanos();
    long startedAt = System.nanoTime();
    generator.run(workers, load.requestTimeoutMs() * 2);
    long elapsedNanos = System.nanoTime() - startedAt;
    long clientCpuNanos = cpu.nanos() - cpuBefore;
    Map<String, GetStatusReply> after = cluster.statuses(shares);
    return new BenchReport(
        benchmark,
        load.describe() + ", " + workers.size() + " workers to " + shares.size() + " servers",
        generator.bytes(),
        blocks.getAsLong(),
        generator.requests(),
        generator.repeats(),
        elapsedNanos,
        clientCpuNanos,
        generator.latencyUs(),
        generator.taskUs(),
        before,
        after);
  }

  @Override
  public void close() {
    transport.close();
    cluster.close();
    scheduler.shutdownNow();
  }
}
