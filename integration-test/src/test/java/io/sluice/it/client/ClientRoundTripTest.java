package io.sluice.it.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.client.SluiceClient;
import io.sluice.client.TransportKind;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushSession;
import io.sluice.client.read.BlocksMissingException;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.it.cluster.InProcessCluster;
import io.sluice.server.ShuffleServerProcess;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(240)
class ClientRoundTripTest {
  private static final int PARTITIONS = 300;
  private static final int MAPS = 8;

  @TempDir Path directory;

  private InProcessCluster cluster;

  @BeforeEach
  void start() throws Exception {
    cluster = new InProcessCluster(directory);
    cluster.startCoordinator(Map.of());
  }

  @AfterEach
  void stop() throws Exception {
    cluster.close();
  }

  private SluiceClient startClient(TransportKind kind, String codec) {
    return cluster.startClient(
        "app-1", Map.of("rss.client.type", kind.name(), "rss.client.io.compression.codec", codec));
  }

  /** Block content whose first eight bytes are the checksum of the rest. */
  private static byte[] content(Random random, int length) {
    byte[] content = new byte[8 + length];
    for (int i = 8; i < content.length; i++) {
      content[i] = (byte) random.nextInt(24);
    }
    CRC32C crc = new CRC32C();
    crc.update(content, 8, length);
    java.nio.ByteBuffer.wrap(content).putLong(crc.getValue());
    return content;
  }

  private static long push(SluiceClient client, ShuffleAssignment assignment, int map)
      throws Exception {
    Random random = new Random(map);
    long bytes = 0;
    try (PushSession session = client.pushSession(assignment, new MapAttempt(100 + map, map))) {
      for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) {
          session.beginFinalPass();
        }
        for (int partition = map; partition < PARTITIONS; partition++) {
          byte[] content = content(random, partition == 7 ? 3_000_000 : 1 + random.nextInt(30_000));
          session.add(partition, content, 0, content.length, 1);
          bytes += content.length;
        }
      }
      session.finish();
      for (int partition = 0; partition < PARTITIONS; partition++) {
        assertThat(session.partitionLengths()[partition] > 0).isEqualTo(partition >= map);
      }
    }
    return bytes;
  }

  private static ShuffleReadRequest request(ShuffleAssignment assignment, int first, int end) {
    ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
    for (int map = 0; map < MAPS; map++) {
      for (int partition = Math.max(map, first); partition < end; partition++) {
        request.expect(partition, 100 + map, map);
      }
    }
    return request.build();
  }

  private static long read(SluiceClient client, ShuffleReadRequest request) throws Exception {
    long bytes = 0;
    try (ShuffleRead read = client.read(request)) {
      for (ShuffleBlock block = read.next(); block != null; block = read.next()) {
        bytes += block.content().remaining();
        long expected = block.content().getLong();
        CRC32C crc = new CRC32C();
        crc.update(block.content());
        assertThat(crc.getValue()).isEqualTo(expected);
      }
    }
    return bytes;
  }

  @ParameterizedTest
  @CsvSource({
    "GRPC_NETTY, LZ4",
    "GRPC, LZ4",
    "GRPC_NETTY, ZSTD",
    "GRPC_NETTY, SNAPPY",
    "GRPC, NONE"
  })
  void readsBackWhatSeveralTasksPushAtOnceThroughLittleMemory(TransportKind kind, String codec)
      throws Exception {
    cluster.startServer("a", Map.of());
    cluster.startServer("b", Map.of());
    SluiceClient client = startClient(kind, codec);
    ShuffleAssignment assignment = InProcessCluster.awaitAssignment(client, PARTITIONS, 2);
    ExecutorService tasks = Executors.newFixedThreadPool(3);
    cluster.closing(tasks::shutdownNow);
    Deque<Future<Long>> pushes = new ArrayDeque<>();
    for (int map = 0; map < MAPS; map++) {
      int number = map;
      pushes.add(tasks.submit(() -> push(client, assignment, number)));
    }
    long pushed = 0;
    for (Future<Long> push : pushes) {
      pushed += push.get(200, TimeUnit.SECONDS);
    }

    Deque<Future<Long>> reads = new ArrayDeque<>();
    for (int first = 0; first < PARTITIONS; first += 100) {
      int from = first;
      reads.add(tasks.submit(() -> read(client, request(assignment, from, from + 100))));
    }
    long read = 0;
    for (Future<Long> one : reads) {
      read += one.get(200, TimeUnit.SECONDS);
    }

    assertThat(read).isEqualTo(pushed);
    assertThat(client.counters().pushed().uncompressedBytes()).isEqualTo(pushed);
    assertThat(client.counters().read().uncompressedBytes()).isEqualTo(pushed);
  }

  @Test
  void readsReportLostBlocksOfAStoppedServer() throws Exception {
    ShuffleServerProcess stopped = cluster.startServer("a", Map.of());
    cluster.startServer("b", Map.of());
    SluiceClient client = startClient(TransportKind.GRPC_NETTY, "LZ4");
    ShuffleAssignment assignment = InProcessCluster.awaitAssignment(client, PARTITIONS, 2);
    for (int map = 0; map < MAPS; map++) {
      push(client, assignment, map);
    }
    String name = "127.0.0.1:" + stopped.rpcPort();
    stopped.close();

    BlocksMissingException missing =
        catchThrowableOfType(
            BlocksMissingException.class, () -> read(client, request(assignment, 0, PARTITIONS)));

    assertThat(missing.missing())
        .isNotEmpty()
        .allSatisfy(
            one -> {
              assertThat(one.reason()).isEqualTo(Reason.UNREACHABLE);
              assertThat(one.servers()).containsExactly(name);
            });
  }

  @Test
  void readsReportAnUnregisteredShuffle() throws Exception {
    cluster.startServer("a", Map.of());
    SluiceClient client = startClient(TransportKind.GRPC, "LZ4");
    ShuffleAssignment assignment = InProcessCluster.awaitAssignment(client, PARTITIONS, 1);
    for (int map = 0; map < MAPS; map++) {
      push(client, assignment, map);
    }
    client.applicationSession("me").unregisterShuffle(assignment.shuffle().getShuffle());

    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    Reason reason = null;
    while (reason == null && System.nanoTime() < deadline) {
      try {
        read(client, request(assignment, 0, PARTITIONS));
      } catch (BlocksMissingException e) {
        reason = e.missing().get(0).reason();
      }
    }
    assertThat(reason).isEqualTo(Reason.EXPIRED);
  }
}
