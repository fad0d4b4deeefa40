package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.client.file.DirectRunFiles;
import io.sluice.client.push.FramedPushSession;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushConfig;
import io.sluice.client.push.PushOptions;
import io.sluice.client.push.PushWindows;
import io.sluice.client.read.PooledShuffleRead;
import io.sluice.client.read.ReadConfig;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.client.server.ConnectionPool;
import io.sluice.client.server.DirectMemory;
import io.sluice.client.server.RetryPolicy;
import io.sluice.client.server.ServerHealth;
import io.sluice.client.server.ServerTimes;
import io.sluice.client.server.TaskEnvironment;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.block.BlockCodec;
import io.sluice.coordinator.explain.Finding;
import io.sluice.proto.ServerTime;
import io.sluice.proto.TaskReport;
import io.sluice.server.disk.Fsync;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.model.ServerSetup;
import io.sluice.server.model.SimulatedServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * A job with four map tasks and four reduce tasks, whose driver reports what they waited for.
 * Belongs to a simulation.
 */
final class ExplainedJob implements AutoCloseable {
  private static final String APPLICATION = "job";
  private static final int SLABS = 64;
  private static final int TASKS = 4;
  private static final int PARTITIONS = 48;
  private static final int BLOCK_BYTES = 16 << 10;
  private static final int PASSES = 6;
  private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** Longer than a third of the lease: the driver has renewed it. */
  private static final long RENEWAL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(30);
  private static final long RETRY_MS = 600_000;

  private final SimulatedThreads time;
  private final Random random;
  private final SimulatedCluster cluster;
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true, true);
  private final SimulatedDriver driver;
  private final ConnectionPool pool;
  private final TaskEnvironment environment;
  private final PushConfig push;
  private final PushWindows windows;
  private final ReadConfig read;
  private ServerTimes pushed = ServerTimes.NONE;
  private ServerTimes fetched = ServerTimes.NONE;
  private boolean ended;

  /**
   * @param diskBytesPerSecond bandwidth of the disk of each server
   */
  ExplainedJob(long seed, Executor carriers, List<Long> diskBytesPerSecond) throws Exception {
    random = new FastRandom(seed);
    time = new SimulatedThreads(carriers);
    SimulatedNetwork network =
        new SimulatedNetwork(time, new FastRandom(random.nextLong()), allocator);
    List<ServerSetup> setups = new ArrayList<>();
    for (long bandwidth : diskBytesPerSecond) {
      setups.add(
          new ServerSetup(
              List.of(StorageKind.SSD),
              1L << 40,
              SLABS,
              Fsync.NEVER,
              0,
              bandwidth,
              Workload.USUAL.heartbeatMs()));
    }
    cluster =
        new SimulatedCluster(
            time,
            network,
            new FastRandom(random.nextLong()),
            1,
            Workload.USUAL.heartbeatMs(),
            setups,
            Optional.empty());
    time.advance(WARM_UP_NANOS);
    driver = new SimulatedDriver(time, network, cluster, APPLICATION, 1);
    pool =
        new ConnectionPool(
            network.transport(APPLICATION), APPLICATION, "task", 2, new ApplicationCredentials());
    environment =
        new TaskEnvironment(
            pool, new ServerHealth(1000, time::nanoTime), new DirectMemory(Long.MAX_VALUE), time);
    RetryPolicy retry = new RetryPolicy(1000, 1, 50, RETRY_MS);
    push = new PushConfig(64 << 10, 512 << 10, 1, BlockCodec.NONE, 1, retry, retry);
    windows = new PushWindows(push.frameBytes(), push.inFlightBytes(), 1_000_000);
    read = new ReadConfig(64 << 10, 4, 1 << 30, (int) RETRY_MS, retry);
  }

  /** Pauses a server for a part of each period, until the job has ended. */
  void slowDown(String name, long pauseNanos, long periodNanos) {
    SimulatedServer server = cluster.server(name);
    Runnable[] pause = new Runnable[1];
    pause[0] =
        () -> {
          if (!ended) {
            server.pauseUntil(time.nanoTime() + pauseNanos);
            time.schedule(periodNanos, pause[0]);
          }
        };
    pause[0].run();
  }

  /** Runs the job; returns the explanation of the coordinator. */
  List<Finding> run() {
    driver.register(0, PARTITIONS);
    sideBySide("map", this::map);
    sideBySide("reduce", this::reduce);
    ended = true;
    TaskReport.Builder report = TaskReport.newBuilder().setConcurrentTasks(TASKS);
    pushed
        .byServer()
        .forEach(
            (server, waits) -> {
              ServerTimes.ServerTime reads =
                  fetched.byServer().getOrDefault(server, new ServerTimes.ServerTime(0, 0, 0, 0));
              report.addServers(
                  ServerTime.newBuilder()
                      .setServer(server)
                      .setPushedBytes(waits.bytes())
                      .setReadBytes(reads.bytes())
                      .setPushWaitMs(millis(waits.waitNanos()))
                      .setReadWaitMs(millis(reads.waitNanos()))
                      .setMemoryWaitMs(millis(waits.memoryNanos() + reads.memoryNanos()))
                      .setDiskWaitMs(millis(waits.diskNanos() + reads.diskNanos())));
            });
    driver.report(report.build());
    time.advance(RENEWAL_NANOS);
    return cluster.explain(APPLICATION);
  }

  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }

  private interface TaskBody {
    void run(int task) throws IOException;
  }

  private void sideBySide(String what, TaskBody body) {
    List<SimulatedThreads.Task> tasks = new ArrayList<>();
    for (int i = 0; i < TASKS; i++) {
      int number = i;
      tasks.add(
          time.start(
              what + " " + number,
              () -> {
                try {
                  body.run(number);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              }));
    }
    for (SimulatedThreads.Task task : tasks) {
      assertThat(time.await(task.end(), time.nanoTime() + LIMIT_NANOS)).as(what).isTrue();
    }
  }

  private void map(int number) throws IOException {
    byte[] block = new byte[BLOCK_BYTES];
    random.nextBytes(block);
    try (FramedPushSession session =
        FramedPushSession.toServers(
            driver.newest(0),
            new MapAttempt(number, number),
            new PushOptions(null, driver::replace, null),
            push,
            environment,
            windows,
            allocator,
            (counters, failure) -> pushed = pushed.plus(counters.servers()))) {
      for (int pass = 0; pass < PASSES; pass++) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
          session.add(partition, block, 0, block.length, 1);
        }
      }
      session.finish();
    }
  }

  private void reduce(int number) throws IOException {
    ShuffleReadRequest.Builder request =
        ShuffleReadRequest.builder(driver.newest(0)).newest(driver::newest);
    for (int partition = number; partition < PARTITIONS; partition += TASKS) {
      for (int map = 0; map < TASKS; map++) {
        request.expect(partition, map, map);
      }
    }
    try (PooledShuffleRead reader =
        new PooledShuffleRead(
            request.build(),
            null,
            read,
            DirectRunFiles.none(),
            environment,
            allocator,
            (counters, failure) -> fetched = fetched.plus(counters.servers()))) {
      while (reader.next() != null) {}
    }
  }

  @Override
  public void close() {
    ended = true;
    pool.close();
    driver.close();
    cluster.close();
    time.close();
  }
}
