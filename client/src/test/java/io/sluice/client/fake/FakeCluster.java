package io.sluice.client.fake;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.client.ConnectionPool;
import io.sluice.client.RetryPolicy;
import io.sluice.client.compress.PayloadTransform;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.client.file.RunFiles;
import io.sluice.client.memory.DirectMemory;
import io.sluice.client.push.FramePushSession;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushConfig;
import io.sluice.client.push.PushEnvironment;
import io.sluice.client.push.PushOptions;
import io.sluice.client.push.PushWindows;
import io.sluice.client.push.SealedPush;
import io.sluice.client.push.ServerHealth;
import io.sluice.client.read.PooledShuffleRead;
import io.sluice.client.read.ReadConfig;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.PartitionRange;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.ShuffleId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Servers, a pool of connections to them, and an allocator whose books must balance. */
public final class FakeCluster implements AutoCloseable {
  public static final RetryPolicy QUICK = new RetryPolicy(4, 1, 4, 20_000);

  /** Longer than any test: a failing server is tried once, and not again by itself. */
  private static final long TRY_FAILING_EVERY_MS = 3_600_000;

  private final List<FakeServer> servers = new ArrayList<>();
  private final UnpooledByteBufAllocator allocator =
      new UnpooledByteBufAllocator(true, false, false);
  private final ExecutorService executor;
  private final FakeTransport transport;
  private final ConnectionPool pool;
  private PushConfig pushConfig =
      new PushConfig(16 << 10, 64 << 10, 1, BlockCodec.LZ4, 1, QUICK, QUICK);
  private RunFiles files = RunFiles.none();
  private ReadConfig readConfig = new ReadConfig(8 << 10, 3, 1 << 30, 20_000, QUICK);
  private DirectMemory memory = new DirectMemory(Long.MAX_VALUE);
  private final ServerHealth health = new ServerHealth(TRY_FAILING_EVERY_MS, System::nanoTime);
  private PushWindows windows =
      new PushWindows(pushConfig.frameBytes(), pushConfig.inFlightBytes(), 0);

  private FakeCluster(int serverCount, Faults faults, boolean inline, int maxBodyLength) {
    for (int i = 0; i < serverCount; i++) {
      servers.add(new FakeServer("server-" + i, 1000 + i, 100 + i));
    }
    executor = Executors.newSingleThreadExecutor();
    Executor runner = inline ? Runnable::run : executor;
    transport = new FakeTransport(runner, faults, servers, maxBodyLength);
    pool = new ConnectionPool(transport, "app", "test", 2);
  }

  /** Requests are answered before the call returns: every run is the same. */
  public static FakeCluster inline(int serverCount, Faults faults) {
    return new FakeCluster(serverCount, faults, true, 64 << 20);
  }

  /** Requests are answered on another thread. */
  public static FakeCluster threaded(int serverCount, Faults faults) {
    return new FakeCluster(serverCount, faults, false, 64 << 20);
  }

  public static FakeCluster withMaxBody(int serverCount, int maxBodyLength) {
    return new FakeCluster(serverCount, new Faults() {}, true, maxBodyLength);
  }

  public void use(PushConfig config) {
    pushConfig = config;
    windows = new PushWindows(config.frameBytes(), config.inFlightBytes(), 0);
  }

  /**
   * @param ways takes
   */
  public void use(RunFiles ways) {
    files.close();
    files = ways;
  }

  public void use(ReadConfig config) {
    readConfig = config;
  }

  public void use(DirectMemory ofProcess) {
    memory = ofProcess;
  }

  /** Of the process that pushes and reads. */
  public DirectMemory memory() {
    return memory;
  }

  public PushConfig pushConfig() {
    return pushConfig;
  }

  public FakeServer server(int index) {
    return servers.get(index);
  }

  public FakeTransport transport() {
    return transport;
  }

  public ConnectionPool pool() {
    return pool;
  }

  /** Contiguous ranges of equal size, in turn over all servers, with so many replicas each. */
  public ShuffleAssignment assign(int partitions, int ranges, int replicas) {
    return assign(partitions, ranges, replicas, servers.size());
  }

  /** The same on the first so many servers. */
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

  public FramePushSession push(ShuffleAssignment assignment, long attempt, int mapIndex) {
    return push(assignment, attempt, mapIndex, PushOptions.NONE);
  }

  public FramePushSession push(
      ShuffleAssignment assignment, long attempt, int mapIndex, PushOptions options) {
    return new FramePushSession(
        assignment,
        new MapAttempt(attempt, mapIndex),
        options,
        pushConfig,
        environment(),
        allocator,
        counters -> {});
  }

  private PushEnvironment environment() {
    return new PushEnvironment(pool, windows, health, memory, System::nanoTime);
  }

  /** What this process knows of servers that fail. */
  public ServerHealth health() {
    return health;
  }

  /** A push of blocks that are sealed already. */
  public SealedPush sealedPush(ShuffleAssignment assignment, MapAttempt attempt) {
    return new SealedPush(assignment, attempt, pushConfig, null, environment());
  }

  public ByteBufAllocator allocator() {
    return allocator;
  }

  public PooledShuffleRead read(ShuffleReadRequest request) {
    return read(request, null);
  }

  public PooledShuffleRead read(ShuffleReadRequest request, PayloadTransform transform) {
    return new PooledShuffleRead(
        request,
        transform,
        readConfig,
        pool,
        files,
        health,
        allocator,
        memory,
        System::nanoTime,
        counters -> {});
  }

  /** Bytes of frames and carried blocks that are held now. */
  public long usedBytes() {
    return allocator.metric().usedDirectMemory();
  }

  /** Ends everything, and finds that all memory has come back. */
  @Override
  public void close() throws InterruptedException {
    pool.close();
    files.close();
    executor.shutdown();
    if (!executor.awaitTermination(20, java.util.concurrent.TimeUnit.SECONDS)) {
      throw new AssertionError("fake transport does not end");
    }
    if (usedBytes() != 0) {
      throw new AssertionError(usedBytes() + " bytes of buffers are leaked");
    }
  }
}
