package io.sluice.simulation;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.push.PushConfig;
import io.sluice.client.read.ReadConfig;
import io.sluice.client.server.ConnectionPool;
import io.sluice.client.server.DirectMemory;
import io.sluice.client.server.RetryPolicy;
import io.sluice.client.server.ServerHealth;
import io.sluice.client.server.TaskEnvironment;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.block.BlockCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * An application with one or two shuffles, one after the other. Its driver may crash in between.
 * Belongs to a simulation.
 */
final class SimulatedApplication {
  private final SimulatedThreads time;
  private final Random random;
  private final String name;
  private final SimulatedDriver driver;
  private final ConnectionPool pool;
  private final List<SimulatedStage> stages = new ArrayList<>();
  private final boolean crashes;

  /**
   * @param retryPeriodMs time for which tasks retry at a server
   * @param mayCrash whether the driver may crash
   * @param moreMaps map tasks of each stage beyond those that its seed decides
   */
  SimulatedApplication(
      SimulatedThreads time,
      SimulatedNetwork network,
      SimulatedCluster cluster,
      Random random,
      String name,
      long retryPeriodMs,
      boolean mayCrash,
      int moreMaps,
      ByteBufAllocator allocator,
      ReadCheck.Servers servers) {
    this.time = time;
    this.random = random;
    this.name = name;
    int replicas = random.nextInt(3) == 0 ? 2 : 1;
    driver = new SimulatedDriver(time, network, cluster, name, replicas);
    pool =
        new ConnectionPool(
            network.transport(name),
            name,
            "task",
            1 + random.nextInt(3),
            new ApplicationCredentials());
    crashes = mayCrash && random.nextInt(6) == 0;
    int frame = 4096 << random.nextInt(3);
    RetryPolicy retry = new RetryPolicy(1000, 1, 50, retryPeriodMs);
    TaskEnvironment tasks =
        new TaskEnvironment(
            pool, new ServerHealth(1000, time::nanoTime), new DirectMemory(Long.MAX_VALUE), time);
    PushConfig push =
        new PushConfig(
            frame,
            frame * (1L + random.nextInt(6)),
            1 + random.nextInt(replicas),
            random.nextInt(3) == 0 ? BlockCodec.LZ4 : BlockCodec.NONE,
            1,
            retry,
            retry);
    ReadConfig read =
        new ReadConfig(
            1024 + random.nextInt(8192),
            1 + random.nextInt(4),
            1 << 30,
            20_000,
            Integer.MAX_VALUE,
            retry,
            "");
    for (int shuffle = 0; shuffle <= random.nextInt(2); shuffle++) {
      stages.add(
          new SimulatedStage(
              time, random, driver, shuffle, moreMaps, tasks, push, read, allocator, servers));
    }
  }

  String name() {
    return name;
  }

  List<SimulatedStage> stages() {
    return stages;
  }

  /** Whether the driver crashes: only the end of its lease removes the data. */
  boolean crashes() {
    return crashes;
  }

  void run() {
    if (crashes) {
      time.schedule(
          TimeUnit.MILLISECONDS.toNanos(random.nextInt(2_000)),
          () -> stages.forEach(SimulatedStage::end));
    }
    for (int shuffle = 0; shuffle < stages.size(); shuffle++) {
      stages.get(shuffle).run();
      if (shuffle > 0 && random.nextBoolean()) {
        driver.unregister(shuffle - 1);
      }
    }
    if (crashes) {
      driver.crash();
    } else {
      driver.close();
    }
    pool.close();
  }
}
