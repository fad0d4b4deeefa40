package io.sluice.client.fake;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.client.compress.PayloadTransform;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.client.file.DirectRunFiles;
import io.sluice.client.push.FramedPushSession;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushConfig;
import io.sluice.client.push.PushOptions;
import io.sluice.client.push.PushWindows;
import io.sluice.client.push.SealedPush;
import io.sluice.client.read.PooledShuffleRead;
import io.sluice.client.read.ReadConfig;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.client.server.ConnectionPool;
import io.sluice.client.server.DirectMemory;
import io.sluice.client.server.RetryPolicy;
import io.sluice.client.server.ServerHealth;
import io.sluice.client.server.TaskEnvironment;
import io.sluice.client.server.TaskTime;
import io.sluice.client.trace.TaskTraces;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.PartitionRange;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.ShuffleId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** Fake servers, a pool of connections to them, and an allocator that is checked for leaks. */
public final class FakeCluster implements AutoCloseable {
  public static final RetryPolicy QUICK = new RetryPolicy(4, 1, 4, 20_000);

  /** Longer than any test, so that a failing server is probed once. */
  private static final long TRY_FAILING_EVERY_MS = 3_600_000;

  private static final int MAX_BODY_LENGTH = 64 << 20;

  /** Maximum delay of a simulated request with its reply. */
  private static final long MAX_DELAY_NANOS = 5_000_000;

  private final List<FakeServer> servers = new ArrayList<>();
  private final UnpooledByteBufAllocator allocator =
      new UnpooledByteBufAllocator(true, false, false);
  private ExecutorService executor;
  private final FakeTransport transport;
  private final ConnectionPool pool;
  private PushConfig pushConfig =
      new PushConfig(16 << 10, 64 << 10, 1, BlockCodec.LZ4, 1, QUICK, QUICK);
  private DirectRunFiles files = DirectRunFiles.none();
  private ReadConfig readConfig = new ReadConfig(8 << 10, 3, 1 << 30, 20_000, QUICK);
  private DirectMemory memory = new DirectMemory(Long.MAX_VALUE);
  private TaskTraces traces = TaskTraces.NONE;
  private final TaskTime time;
  private final ServerHealth health;
  private PushWindows windows =
      new PushWindows(pushConfig.frameBytes(), pushConfig.inFlightBytes(), 0);

  private FakeCluster(
      int serverCount,
      Faults faults,
      TaskTime time,
      Function<String, Executor> runners,
      int maxBodyLength) {
    this.time = time;
    for (int i = 0; i < serverCount; i++) {
      servers.add(new FakeServer("server-" + i, 1000 + i, 100 + i));
    }
    health = new ServerHealth(TRY_FAILING_EVERY_MS, time::nanoTime);
    transport = new FakeTransport(runners, faults, servers, maxBodyLength);
    pool = new ConnectionPool(transport, "app", "test", 2, new ApplicationCredentials());
  }

  /** Requests complete before the call returns, and time is virtual: every run is the same. */
  public static FakeCluster inline(int serverCount, Faults faults) {
    return new FakeCluster(
        serverCount, faults, new VirtualTime(), server -> Runnable::run, MAX_BODY_LENGTH);
  }

  /**
   * Requests complete while the client waits, after a random virtual delay, in any order. Every run
   * with one seed is the same.
   */
  public static FakeCluster simulated(int serverCount, Faults faults, long seed) {
    VirtualTime time = new VirtualTime();
    Random delays = new Random(seed);
    return new FakeCluster(
        serverCount,
        faults,
        time,
        server -> work -> time.schedule(delays.nextLong(MAX_DELAY_NANOS), work),
        MAX_BODY_LENGTH);
  }

  /**
   * Requests to each server complete while the client waits, after a virtual delay.
   *
   * @param delayNanos delay of a server, by its name
   */
  public static FakeCluster delayed(int serverCount, ToLongFunction<String> delayNanos) {
    VirtualTime time = new VirtualTime();
    return new FakeCluster(
        serverCount,
        new Faults() {},
        time,
        server -> work -> time.schedule(delayNanos.applyAsLong(server), work),
        MAX_BODY_LENGTH);
  }

  /** Requests complete on another thread. */
  public static FakeCluster threaded(int serverCount, Faults faults) {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    FakeCluster cluster =
        new FakeCluster(serverCount, faults, TaskTime.SYSTEM, server -> executor, MAX_BODY_LENGTH);
    cluster.executor = executor;
    return cluster;
  }

  public static FakeCluster withMaxBody(int serverCount, int maxBodyLength) {
    return new FakeCluster(
        serverCount, new Faults() {}, new VirtualTime(), server -> Runnable::run, maxBodyLength);
  }

  public void use(PushConfig config) {
    pushConfig = config;
    windows = new PushWindows(config.frameBytes(), config.inFlightBytes(), 0);
  }

  /**
   * @param runFiles takes
   */
  public void use(DirectRunFiles runFiles) {
    files.close();
    files = runFiles;
  }

  public void use(ReadConfig config) {
    readConfig = config;
  }

  public void use(DirectMemory ofProcess) {
    memory = ofProcess;
  }

  public void use(TaskTraces observer) {
    traces = observer;
  }

  /** Direct memory of the simulated client process. */
  public DirectMemory memory() {
    return memory;
  }

  public PushConfig pushConfig() {
    return pushConfig;
  }

  public FakeServer server(int index) {
    return servers.get(index);
  }

  /** Runs work after the caller has returned: in virtual time, or on another thread. */
  public void runLater(Runnable work) {
    if (time instanceof VirtualTime virtual) {
      virtual.schedule(0, work);
    } else {
      executor.execute(work);
    }
  }

  public FakeTransport transport() {
    return transport;
  }

  public ConnectionPool pool() {
    return pool;
  }

  /** Contiguous ranges of equal size, distributed round-robin over all servers, with replicas. */
  public ShuffleAssignment assign(int partitions, int ranges, int replicas) {
    return assign(partitions, ranges, replicas, servers.size());
  }

  /** As above, on the first {@code serverCount} servers. */
  public ShuffleAssignment assign(int partitions, int ranges, int replicas, int serverCount) {
    RegisterShuffleReply.Builder reply = RegisterShuffleReply.newBuilder();
    servers.subList(0, serverCount).forEach(server -> reply.addServers(server.id()));
    for (int range = 0; range < ranges; range++) {
      PartitionRange.Builder one =
          reply
              .addRangesBuilder()
              .setFirst((int) ((long) partitions * range / ranges))
              .setLast((int) ((long) partitions * (range + 1) / ranges) - 1);
      for (int replica = 0; replica < replicas; replica++) {
        one.addServers((range + replica) % serverCount);
      }
    }
    try {
      return ShuffleAssignment.of(
          ShuffleId.newBuilder().setApplication("app").setShuffle(7).build(),
          partitions,
          reply.build());
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
  }

  public FramedPushSession push(ShuffleAssignment assignment, long attempt, int mapIndex) {
    return push(assignment, attempt, mapIndex, PushOptions.NONE);
  }

  public FramedPushSession push(
      ShuffleAssignment assignment, long attempt, int mapIndex, PushOptions options) {
    MapAttempt one = new MapAttempt(attempt, mapIndex);
    return FramedPushSession.toServers(
        assignment,
        one,
        options,
        pushConfig,
        environment(),
        windows,
        allocator,
        traces.push(assignment.shuffle(), one));
  }

  private TaskEnvironment environment() {
    return new TaskEnvironment(pool, health, memory, time);
  }

  /** The failing servers that the simulated client process knows. */
  public ServerHealth health() {
    return health;
  }

  /** A push of sealed blocks. */
  public SealedPush sealedPush(ShuffleAssignment assignment, MapAttempt attempt) {
    return new SealedPush(assignment, attempt, pushConfig, null, environment(), windows);
  }

  public ByteBufAllocator allocator() {
    return allocator;
  }

  public PooledShuffleRead read(ShuffleReadRequest request) {
    return read(request, null);
  }

  public PooledShuffleRead read(ShuffleReadRequest request, PayloadTransform transform) {
    return new PooledShuffleRead(
        request, transform, readConfig, files, environment(), allocator, traces.read(request));
  }

  /** Allocated bytes of frames and partial blocks. */
  public long usedBytes() {
    return allocator.metric().usedDirectMemory();
  }

  /** Closes all parts, and verifies that all memory is released. */
  @Override
  public void close() throws InterruptedException {
    pool.close();
    files.close();
    if (time instanceof VirtualTime virtual) {
      virtual.runUntilIdle();
    }
    if (executor != null) {
      executor.shutdown();
      if (!executor.awaitTermination(20, TimeUnit.SECONDS)) {
        throw new AssertionError("fake transport does not end");
      }
    }
    if (usedBytes() != 0) {
      throw new AssertionError(usedBytes() + " bytes of buffers are leaked");
    }
  }
}
