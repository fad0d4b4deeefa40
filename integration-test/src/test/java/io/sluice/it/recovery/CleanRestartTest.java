package io.sluice.it.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.ClientConfig;
import io.sluice.client.SluiceClient;
import io.sluice.client.coordinator.ApplicationSession;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.ShuffleRegistration;
import io.sluice.client.coordinator.ShuffleRegistration.Assigned;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushSession;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.common.config.ConfigSet;
import io.sluice.it.cluster.TestCluster;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server process is stopped cleanly and started again on the same ports while map attempts push
 * and reduce tasks read. Every session that started before the stop succeeds, and no data is lost.
 */
@Timeout(240)
class CleanRestartTest {
  private static final int PARTITIONS = 40;
  private static final int MAPS = 4;
  private static final int RESTARTS = 2;
  private static final int CONTENT_BYTES = 8_000;
  private static final long PAUSE_MICROS = 2_000;

  @TempDir Path directory;

  private final ExecutorService executor = Executors.newCachedThreadPool();
  private LocalCluster cluster;

  @AfterEach
  void stop() {
    executor.shutdownNow();
    if (cluster != null) {
      cluster.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"GRPC_NETTY", "GRPC"})
  void noAttemptFailsAndNothingIsLostOverCleanRestarts(String transport) throws Exception {
    startCluster("30s");
    try (SluiceClient client = client(transport)) {
      ShuffleAssignment assignment = register(client);
      AtomicBoolean continues = new AtomicBoolean(true);
      CountDownLatch pushing = new CountDownLatch(MAPS);
      List<Future<Map<Integer, Integer>>> maps = new ArrayList<>();
      for (int map = 0; map < MAPS; map++) {
        int index = map;
        maps.add(executor.submit(() -> push(client, assignment, index, continues, pushing)));
      }
      assertThat(pushing.await(30, TimeUnit.SECONDS)).isTrue();
      ClusterNode server = cluster.servers().get(0);
      for (int restart = 0; restart < RESTARTS; restart++) {
        server.restart();
      }
      continues.set(false);
      Map<Integer, Integer> pushed = new HashMap<>();
      for (Future<Map<Integer, Integer>> map : maps) {
        map.get(60, TimeUnit.SECONDS)
            .forEach((key, count) -> pushed.merge(key, count, Integer::sum));
      }

      List<Future<Map<Integer, Integer>>> reads = new ArrayList<>();
      CountDownLatch reading = new CountDownLatch(1);
      for (int part = 0; part < 2; part++) {
        int from = part * PARTITIONS / 2;
        int to = (part + 1) * PARTITIONS / 2;
        reads.add(executor.submit(() -> read(client, assignment, from, to, reading)));
      }
      assertThat(reading.await(30, TimeUnit.SECONDS)).isTrue();
      server.restart();
      Map<Integer, Integer> read = new HashMap<>();
      for (Future<Map<Integer, Integer>> one : reads) {
        one.get(60, TimeUnit.SECONDS).forEach((key, count) -> read.merge(key, count, Integer::sum));
      }
      assertThat(read).isEqualTo(pushed);
    }
  }

  @Test
  void aStopWithoutTimeToWriteMemoryIsACrashForAcknowledgedBlocks() throws Exception {
    startCluster("0ms");
    try (SluiceClient client = client("GRPC_NETTY")) {
      ShuffleAssignment assignment = register(client);
      try (PushSession session = client.pushSession(assignment, new MapAttempt(1, 0))) {
        byte[] content = new byte[CONTENT_BYTES];
        for (int i = 0; i < 400; i++) {
          session.add(i % PARTITIONS, content, 0, content.length, 1);
        }
        // A session without an acknowledgement can still send the data again.
        session.awaitUnacknowledgedAtMost(PARTITIONS * CONTENT_BYTES);
        cluster.servers().get(0).restart();
        assertThat(catchFailure(session))
            .hasMessageContaining("restarted and lost acknowledged frames");
      }
    }
  }

  private static IOException catchFailure(PushSession session) {
    try {
      byte[] content = new byte[CONTENT_BYTES];
      for (int i = 0; i < 400; i++) {
        session.add(i % PARTITIONS, content, 0, content.length, 1);
      }
      session.finish();
      throw new AssertionError("the push succeeded although memory was not written to disk");
    } catch (IOException e) {
      return e;
    }
  }

  private void startCluster(String stopTimeout) throws Exception {
    cluster =
        TestCluster.builder(directory)
            .servers(1)
            .configureServers("rss.server.buffer.capacity", "32m")
            .configureServers("rss.server.heartbeat.interval", "200ms")
            .configureServers("rss.server.stop.timeout", stopTimeout)
            .stopTimeout(Duration.ofSeconds(60))
            .build();
    cluster.start();
  }

  private SluiceClient client(String transport) {
    return SluiceClient.start(
        ClientConfig.from(
            ConfigSet.of(
                ClientConfig.SCHEMA,
                Map.of(
                    "rss.coordinator.quorum", cluster.quorum(),
                    "rss.client.type", transport,
                    "rss.client.io.compression.codec", "NONE",
                    "rss.client.send.size.limit", "256k",
                    "rss.client.retry.interval.max", "500ms",
                    "rss.client.retry.max", "1000",
                    "rss.client.rpc.maxAttempts", "1000"))),
        "app-1",
        "test");
  }

  private static ShuffleAssignment register(SluiceClient client) throws Exception {
    ApplicationSession session = client.applicationSession("me");
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    for (int shuffle = 0; System.nanoTime() < deadline; shuffle++) {
      ShuffleRegistration outcome = session.registerShuffle(shuffle, PARTITIONS);
      if (outcome instanceof Assigned assigned) {
        return assigned.assignment();
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
    throw new AssertionError("no assignment");
  }

  /** Pushes until the test ends it; returns the number of contents per key. */
  private static Map<Integer, Integer> push(
      SluiceClient client,
      ShuffleAssignment assignment,
      int map,
      AtomicBoolean continues,
      CountDownLatch pushing)
      throws IOException {
    Random random = new Random(map);
    Map<Integer, Integer> pushed = new HashMap<>();
    try (PushSession session = client.pushSession(assignment, new MapAttempt(100 + map, map))) {
      for (int i = 0; continues.get() || i < 500; i++) {
        int partition = random.nextInt(PARTITIONS);
        byte[] content = new byte[CONTENT_BYTES];
        random.nextBytes(content);
        session.add(partition, content, 0, content.length, 1);
        pushed.merge(key(partition, content), 1, Integer::sum);
        if (i == 100) {
          pushing.countDown();
        }
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(PAUSE_MICROS));
      }
      session.finish();
    }
    return pushed;
  }

  private static Map<Integer, Integer> read(
      SluiceClient client, ShuffleAssignment assignment, int from, int to, CountDownLatch reading)
      throws IOException {
    ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
    for (int map = 0; map < MAPS; map++) {
      for (int partition = from; partition < to; partition++) {
        request.expect(partition, 100 + map, map);
      }
    }
    Map<Integer, Integer> read = new HashMap<>();
    try (ShuffleRead blocks = client.read(request.build())) {
      for (ShuffleBlock block = blocks.next(); block != null; block = blocks.next()) {
        byte[] content = new byte[block.content().remaining()];
        block.content().get(content);
        read.merge(key(block.partition(), content), 1, Integer::sum);
        reading.countDown();
        // Slowly, so that the restart happens during the read.
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(PAUSE_MICROS / 8));
      }
    }
    return read;
  }

  private static int key(int partition, byte[] content) {
    return 31 * partition + Arrays.hashCode(content);
  }
}
