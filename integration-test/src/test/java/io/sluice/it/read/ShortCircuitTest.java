package io.sluice.it.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.client.SluiceClient;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushSession;
import io.sluice.client.read.BlocksMissingException;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.client.read.ReadCounters;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.it.cluster.InProcessCluster;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Direct reads by a client on the server's host, with more data than fits into memory. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class ShortCircuitTest {
  private static final int PARTITIONS = 20;
  private static final int MAPS = 16;
  private static final int CONTENT_BYTES = 100_000;

  @TempDir Path directory;

  private InProcessCluster cluster;
  private Path data;

  @BeforeEach
  void start() throws Exception {
    cluster = new InProcessCluster(directory);
    cluster.startCoordinator(Map.of());
    cluster.startServer("a", Map.of());
    data = directory.resolve("a");
  }

  @AfterEach
  void stop() throws Exception {
    cluster.close();
  }

  @Test
  void readsRunFilesWithoutTheServerAndTheRestFromIt() throws Exception {
    SluiceClient client = startClient("GRPC_NETTY", true);
    ShuffleAssignment assignment = pushAll(client);

    ReadCounters counters = readAll(client, assignment);

    assertThat(counters.files().bytes()).as("spilled").isPositive().isLessThan(counters.bytes());
    assertThat(counters.bytes() - counters.files().bytes()).as("in memory").isPositive();
    assertThat(counters.files().failures()).isZero();
  }

  @Test
  void readsRunFilesOfAServerUsedOverGrpc() throws Exception {
    SluiceClient client = startClient("GRPC", true);
    assertThat(readAll(client, pushAll(client)).files().bytes()).isPositive();
  }

  @Test
  void fetchesEverythingIfDirectReadsAreOff() throws Exception {
    SluiceClient client = startClient("GRPC_NETTY", false);
    assertThat(readAll(client, pushAll(client)).files().bytes()).isZero();
  }

  @Test
  void fetchesEverythingIfTheSocketIsNotVisible() throws Exception {
    SluiceClient client = startClient("GRPC_NETTY", true);
    Files.delete(data.resolve("sluice.sock"));
    ReadCounters counters = readAll(client, pushAll(client));
    assertThat(counters.files().bytes()).isZero();
    assertThat(counters.files().failures()).isZero();
  }

  @Test
  void fetchesEverythingIfNoProcessListensOnTheSocket() throws Exception {
    SluiceClient client = startClient("GRPC_NETTY", true);
    Path socket = data.resolve("sluice.sock");
    Files.delete(socket);
    // A closed socket leaves its file.
    try (ServerSocketChannel closed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      closed.bind(UnixDomainSocketAddress.of(socket));
    }
    ReadCounters counters = readAll(client, pushAll(client));
    assertThat(counters.files().bytes()).isZero();
    assertThat(counters.files().failures()).isPositive();
  }

  @Test
  void detectsAFlippedByteInAFileAndNamesTheMissingBlock() throws Exception {
    SluiceClient client = startClient("GRPC_NETTY", true);
    ShuffleAssignment assignment = pushAll(client);
    try (Stream<Path> files = Files.list(data.resolve("runs"))) {
      List<Path> runs = files.filter(path -> path.toString().endsWith(".run")).toList();
      assertThat(runs).isNotEmpty();
      flip(runs.get(0), 5_000);
    }
    BlocksMissingException missing =
        catchThrowableOfType(BlocksMissingException.class, () -> readAll(client, assignment));
    assertThat(missing.missing()).hasSize(1);
    // LOST if the server has verified the report of the reader by then.
    assertThat(missing.missing().get(0).reason()).isIn(Reason.CORRUPT, Reason.LOST);
  }

  private static void flip(Path file, long position) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.seek(position);
      int was = open.read();
      open.seek(position);
      open.write(was ^ 1);
    }
  }

  private SluiceClient startClient(String kind, boolean shortCircuit) {
    return cluster.startClient(
        "app-1",
        Map.of(
            "rss.client.type",
            kind,
            "rss.client.read.shortcircuit.enabled",
            Boolean.toString(shortCircuit)));
  }

  private ShuffleAssignment pushAll(SluiceClient client) throws Exception {
    ShuffleAssignment assignment = InProcessCluster.awaitAssignment(client, PARTITIONS, 1);
    for (int map = 0; map < MAPS; map++) {
      try (PushSession session = client.pushSession(assignment, new MapAttempt(100 + map, map))) {
        session.beginFinalPass();
        for (int partition = 0; partition < PARTITIONS; partition++) {
          byte[] content = content(map, partition);
          session.add(partition, content, 0, content.length, 1);
        }
        session.finish();
      }
    }
    return assignment;
  }

  private static ReadCounters readAll(SluiceClient client, ShuffleAssignment assignment)
      throws IOException {
    ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
    for (int map = 0; map < MAPS; map++) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        request.expect(partition, 100 + map, map);
      }
    }
    long contents = 0;
    try (ShuffleRead read = client.read(request.build())) {
      for (ShuffleBlock block = read.next(); block != null; block = read.next()) {
        byte[] content = new byte[block.content().remaining()];
        block.content().get(content);
        CRC32C crc = new CRC32C();
        crc.update(content, 8, content.length - 8);
        assertThat(java.nio.ByteBuffer.wrap(content).getLong()).isEqualTo(crc.getValue());
        contents++;
      }
      assertThat(contents).isEqualTo((long) MAPS * PARTITIONS);
      return read.counters();
    }
  }

  /** The first eight bytes are the checksum of the rest. */
  private static byte[] content(int map, int partition) {
    byte[] content = new byte[CONTENT_BYTES];
    new Random(map * 1000L + partition).nextBytes(content);
    CRC32C crc = new CRC32C();
    crc.update(content, 8, content.length - 8);
    java.nio.ByteBuffer.wrap(content).putLong(crc.getValue());
    return content;
  }
}
