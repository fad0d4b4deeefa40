package io.sluice.it.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.netty.buffer.ByteBuf;
import io.sluice.common.test.TestEffort;
import io.sluice.it.cluster.TestCluster;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.LocalCluster;
import io.sluice.proto.Presence;
import io.sluice.proto.Push;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.ShuffleServerControlGrpc;
import io.sluice.proto.UnregisterShufflesRequest;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.NettyDataTransport;
import io.sluice.transport.client.TransportConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server is killed repeatedly while it accepts pushes and writes runs. After each restart, all
 * blocks that it had reported as on disk must be readable and correct, and no attempt with a lost
 * block may be reported as complete.
 *
 * <p>Method: pushers push attempts, some of them unfinished, to the two newest shuffles. A prober
 * records the blocks that the server reports as on disk ({@link ShuffleContents}). At a random
 * moment, usually after some blocks are on disk, the process is killed. After the restart its
 * reports are compared with the records.
 */
@Timeout(900)
class KillLoopTest {
  private static final int KILLS = TestEffort.times(10);
  private static final long SEED = Long.getLong("sluice.test.seed", 20261121);
  private static final int PARTITIONS = 6;
  private static final int PUSHERS = 2;
  private static final int KEPT_SHUFFLES = 2;
  private static final int MOST_LOAD_MS = 150;
  private static final long LIMIT_SECONDS = 30;
  private static final String APPLICATION = "app-1";

  @TempDir Path directory;

  private final AtomicLong attempts = new AtomicLong();
  private final AtomicLong ended = new AtomicLong();
  // By shuffle: blocks that the server reported as on disk before a kill.
  private final Map<Integer, Set<TestBlocks.Id>> onDisk = new TreeMap<>();
  private final Map<Integer, Long> assignedEpochs = new TreeMap<>();
  private final Set<TestBlocks.Id> pushed = ConcurrentHashMap.newKeySet();
  private long checkedBlocks;
  private long completeAttempts;
  private long incompleteAttempts;
  private LocalCluster cluster;

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void allBlocksReportedOnDiskAreReadAfterAnyKill() throws Exception {
    cluster =
        TestCluster.builder(directory)
            .servers(1)
            .configureServers(
                "rss.storage.basePath",
                directory.resolve("data-a") + "," + directory.resolve("data-b"))
            .configureServers("rss.server.buffer.capacity", "16m")
            // Spilling starts at about 800 KB, so there are many spills.
            .configureServers("rss.server.memory.shuffle.highWaterMark.percentage", "5")
            .configureServers("rss.server.memory.shuffle.lowWaterMark.percentage", "1")
            .serverJvmOptions("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
            .startTimeout(Duration.ofSeconds(60))
            .build();
    cluster.start();
    Random random = new Random(SEED);
    for (int kill = 0; kill < KILLS; kill++) {
      int shuffle = kill;
      loadAndKill(shuffle, random);
      cluster.servers().get(0).start();
      try (NettyDataTransport transport = transport()) {
        DataConnection connection = connect(transport);
        assertThat(connection.wholeSinceEpoch()).isEqualTo(connection.epoch());
        for (int checked = Math.max(0, shuffle - KEPT_SHUFFLES + 1);
            checked <= shuffle;
            checked++) {
          check(connection, checked, "seed " + SEED + " kill " + kill + " shuffle " + checked);
        }
      }
      forget(shuffle - KEPT_SHUFFLES + 1);
    }
    assertThat(checkedBlocks).as("blocks that were on disk before a kill").isGreaterThan(KILLS);
    assertThat(ended.get()).isEqualTo(KILLS * (PUSHERS + 1L));
    assertThat(completeAttempts).isPositive();
    assertThat(incompleteAttempts).isPositive();
    System.out.printf(
        "%d kills, seed %d: %d blocks checked that had been on disk, %d attempts complete, %d not%n",
        KILLS, SEED, checkedBlocks, completeAttempts, incompleteAttempts);
  }

  private void loadAndKill(int shuffle, Random random) throws Exception {
    long pusherSeed = random.nextLong();
    boolean early = random.nextInt(4) == 0;
    long loadNanos = TimeUnit.MILLISECONDS.toNanos(random.nextInt(MOST_LOAD_MS));
    try (NettyDataTransport transport = transport()) {
      assignedEpochs.put(shuffle, connect(transport).epoch());
      List<Thread> threads = new ArrayList<>();
      for (int pusher = 0; pusher < PUSHERS; pusher++) {
        DataConnection connection = connect(transport);
        Random own = new Random(pusherSeed + pusher);
        threads.add(new Thread(() -> push(connection, shuffle, own), "pusher-" + pusher));
      }
      DataConnection probed = connect(transport);
      Set<TestBlocks.Id> seen = new HashSet<>();
      CountDownLatch anyOnDisk = new CountDownLatch(1);
      threads.add(new Thread(() -> probe(probed, shuffle, seen, anyOnDisk), "prober"));
      threads.forEach(Thread::start);
      if (!early) {
        assertThat(anyOnDisk.await(LIMIT_SECONDS, TimeUnit.SECONDS)).as("blocks on disk").isTrue();
      }
      LockSupport.parkNanos(loadNanos);
      cluster.servers().get(0).kill();
      for (Thread thread : threads) {
        thread.join(TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
        assertThat(thread.isAlive()).as(thread.getName()).isFalse();
      }
      onDisk.computeIfAbsent(shuffle, unused -> new HashSet<>()).addAll(seen);
    }
  }

  /** Pushes attempts until the server is killed. */
  private void push(DataConnection connection, int newest, Random random) {
    try {
      while (true) {
        int shuffle = Math.max(0, newest - random.nextInt(2));
        long attempt = attempts.getAndIncrement();
        int blocks = 1 + random.nextInt(4);
        boolean unfinished = random.nextInt(4) == 0;
        for (int sequence = 0; sequence < blocks; sequence++) {
          ByteBuf body = TestBlocks.newBody();
          boolean last = sequence == blocks - 1 && !unfinished;
          for (int partition = 0; partition < PARTITIONS; partition++) {
            TestBlocks.Id id = new TestBlocks.Id(attempt, partition, sequence);
            pushed.add(id);
            TestBlocks.write(body, id, last);
          }
          Push head =
              Push.newBuilder().setShuffle(id(shuffle)).setEpoch(connection.epoch()).build();
          connection.push(head, body).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
      }
    } catch (Exception e) {
      // Expected: the server was killed.
      ended.incrementAndGet();
    }
  }

  private void probe(
      DataConnection connection, int shuffle, Set<TestBlocks.Id> seen, CountDownLatch anyOnDisk) {
    try {
      while (true) {
        ShuffleContents contents =
            ShuffleContents.read(connection, id(shuffle), PARTITIONS, connection.epoch());
        seen.addAll(contents.onDisk());
        if (!seen.isEmpty()) {
          anyOnDisk.countDown();
        }
      }
    } catch (Exception e) {
      // As above.
      ended.incrementAndGet();
    }
  }

  private void check(DataConnection connection, int shuffle, String what) throws Exception {
    ShuffleContents contents =
        ShuffleContents.read(connection, id(shuffle), PARTITIONS, assignedEpochs.get(shuffle));
    Set<TestBlocks.Id> expected = onDisk.getOrDefault(shuffle, Set.of());
    assertThat(contents.blocks()).as(what).containsAll(expected);
    assertThat(pushed).as(what).containsAll(contents.blocks());
    checkedBlocks += expected.size();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      assertThat(contents.presence().get(partition))
          .as("%s partition %s", what, partition)
          .isIn(Presence.PRESENT, Presence.DATA_LOST);
      Set<Long> whole = new HashSet<>();
      Set<Long> parts = new HashSet<>();
      for (TestBlocks.Id block : contents.blocks()) {
        if (block.partition() == partition) {
          (contents.isWhole(block.attempt(), partition) ? whole : parts).add(block.attempt());
        }
      }
      assertThat(contents.complete().get(partition))
          .as("%s partition %s", what, partition)
          .isEqualTo(whole);
      completeAttempts += whole.size();
      incompleteAttempts += parts.size();
    }
    // All of it came from files, so it survives the next kill too.
    onDisk.put(shuffle, contents.blocks());
  }

  private void forget(int shuffle) {
    if (shuffle < 0) {
      return;
    }
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress(ClusterNode.HOST, cluster.servers().get(0).rpcPort())
            .usePlaintext()
            .build();
    try {
      ShuffleServerControlGrpc.newBlockingStub(channel)
          .withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS)
          .unregisterShuffles(
              UnregisterShufflesRequest.newBuilder()
                  .setApplication(APPLICATION)
                  .addShuffles(shuffle)
                  .build());
    } finally {
      channel.shutdownNow();
    }
  }

  private static ShuffleId id(int shuffle) {
    return ShuffleId.newBuilder().setApplication(APPLICATION).setShuffle(shuffle).build();
  }

  private static NettyDataTransport transport() {
    return new NettyDataTransport(TransportConfig.DEFAULT, System::nanoTime);
  }

  private DataConnection connect(NettyDataTransport transport) throws Exception {
    ClusterNode node = cluster.servers().get(0);
    ServerId server =
        ServerId.newBuilder()
            .setName(node.address())
            .setHost(ClusterNode.HOST)
            .setRpcPort(node.rpcPort())
            .setNettyPort(node.nettyPort())
            .build();
    return transport.connect(server, APPLICATION, "test").get(LIMIT_SECONDS, TimeUnit.SECONDS);
  }
}
