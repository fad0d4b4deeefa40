package io.sluice.storage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.client.ClientConfig;
import io.sluice.client.SluiceClient;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.ShuffleRegistration;
import io.sluice.client.coordinator.ShuffleRegistration.Assigned;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushSession;
import io.sluice.client.read.BlocksMissingException;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.client.read.ReadCounters;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.run.RunReader;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.coordinator.CoordinatorProcess;
import io.sluice.server.ServerConfig;
import io.sluice.server.ShuffleServerProcess;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A client and a server whose local disk has room for a part of a shuffle only: the client reads
 * the rest directly from the remote file system.
 */
@Timeout(120)
class DirectReadTest {
  private static final String REMOTE = "rss.client.read.remote.path";
  private static final int PARTITIONS = 8;
  private static final int MAPS = 32;
  private static final int CONTENT_BYTES = 200_000;

  @TempDir private Path directory;
  private final Deque<AutoCloseable> toClose = new ArrayDeque<>();
  private int coordinatorPort;

  @BeforeEach
  void start() throws Exception {
    CoordinatorProcess coordinator =
        CoordinatorProcess.start(
            ConfigSet.of(
                CoordinatorConfig.SCHEMA,
                Map.of(
                    "rss.coordinator.host", "127.0.0.1",
                    "rss.rpc.server.port", "0",
                    "rss.jetty.http.port", "0")));
    toClose.push(coordinator);
    coordinatorPort = coordinator.rpcPort();
    Map<String, String> server = new HashMap<>();
    server.put("rss.coordinator.quorum", "127.0.0.1:" + coordinatorPort);
    server.put("rss.storage.basePath", directory.resolve("local") + ":HDD");
    server.put("rss.storage.type", "MEMORY_LOCALFILE_HDFS");
    server.put("rss.server.remote.storage.path", "file:" + remote());
    server.put("rss.server.hadoop.classpath", System.getProperty("java.class.path"));
    server.put("rss.server.flush.cold.storage.threshold.size", "1m");
    server.put("rss.server.disk.capacity", "16m");
    server.put("rss.server.host", "127.0.0.1");
    server.put("rss.rpc.server.port", "0");
    server.put("rss.server.netty.port", "0");
    server.put("rss.jetty.http.port", "0");
    server.put("rss.server.buffer.capacity", "16m");
    server.put("rss.server.heartbeat.interval", "100ms");
    toClose.push(ShuffleServerProcess.start(ConfigSet.of(ServerConfig.SCHEMA, server)));
  }

  @AfterEach
  void stop() throws Exception {
    while (!toClose.isEmpty()) {
      toClose.pop().close();
    }
  }

  @Test
  void readsRemoteFilesDirectlyAndTheRestFromTheServer() throws Exception {
    SluiceClient client = startClient(Map.of(REMOTE, "file:" + remote()));
    ReadCounters counters = readAll(client, pushAll(client));
    assertThat(remoteFiles()).isNotEmpty();
    assertThat(counters.files().bytes()).isPositive().isLessThan(counters.bytes());
    assertThat(counters.files().failures()).isZero();
  }

  @Test
  void readsRemoteFilesOnlyIfConfigured() throws Exception {
    // Files on the server's host are not remote files.
    SluiceClient client = startClient(Map.of());
    ShuffleAssignment assignment = pushAll(client);
    assertThat(remoteFiles()).isNotEmpty();
    // Hadoop's local file system sets the mode of a file after creating it.
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!modes().equals(Set.of("rw-------"))) {
      assertThat(System.nanoTime()).as("modes of remote files: " + modes()).isLessThan(deadline);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
    ReadCounters counters = readAll(client, assignment);
    assertThat(counters.files().bytes()).isLessThanOrEqualTo(localBytes());
    assertThat(counters.files().failures()).isZero();
  }

  @Test
  void readsFromTheServerIfFilesAreOutsideTheConfiguredDirectory() throws Exception {
    SluiceClient client = startClient(Map.of(REMOTE, "file:" + directory.resolve("other")));
    ReadCounters counters = readAll(client, pushAll(client));
    assertThat(remoteFiles()).isNotEmpty();
    assertThat(counters.files().bytes()).isLessThanOrEqualTo(localBytes());
    assertThat(counters.files().failures()).isPositive();
  }

  @Test
  void readsFromTheServerIfDirectReadsAreDisabled() throws Exception {
    SluiceClient client =
        startClient(
            Map.of(
                REMOTE,
                "file:" + remote(),
                "rss.client.read.shortcircuit.enabled",
                Boolean.toString(false)));
    ReadCounters counters = readAll(client, pushAll(client));
    assertThat(counters.files().bytes()).isZero();
  }

  @Test
  void findsAFlippedByte() throws Exception {
    SluiceClient client = startClient(Map.of(REMOTE, "file:" + remote()));
    ShuffleAssignment assignment = pushAll(client);
    // Files are read only when they are complete, which may take some time.
    Optional<Path> damaged = Optional.empty();
    BlocksMissingException missing = null;
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (missing == null) {
      assertThat(System.nanoTime()).as("damaged file: " + damaged).isLessThan(deadline);
      if (damaged.isEmpty()) {
        damaged = remoteFiles().stream().filter(DirectReadTest::isWhole).findFirst();
        if (damaged.isPresent()) {
          flipByte(damaged.get(), 5_000);
        }
      }
      missing =
          catchThrowableOfType(BlocksMissingException.class, () -> readAll(client, assignment));
    }
    assertThat(missing.missing()).hasSize(1);
    // LOST if the server has verified the report of the reader by then.
    assertThat(missing.missing().get(0).reason()).isIn(Reason.CORRUPT, Reason.LOST);
  }

  private static boolean isWhole(Path file) {
    try (RunReader run = RunReader.open(file)) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static void flipByte(Path path, long position) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.seek(position);
      int was = file.read();
      file.seek(position);
      file.write(was ^ 1);
    }
  }

  private Path remote() {
    return directory.resolve("remote");
  }

  private Set<String> modes() throws IOException {
    Set<String> modes = new HashSet<>();
    for (Path file : remoteFiles()) {
      modes.add(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }
    return modes;
  }

  private List<Path> remoteFiles() throws IOException {
    try (Stream<Path> files = Files.walk(remote())) {
      return files.filter(file -> file.toString().endsWith(".run")).toList();
    }
  }

  private long localBytes() throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("local/runs"))) {
      return files.map(Path::toFile).filter(File::isFile).mapToLong(File::length).sum();
    }
  }

  private SluiceClient startClient(Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(more);
    settings.put("rss.coordinator.quorum", "127.0.0.1:" + coordinatorPort);
    settings.put("rss.client.io.compression.codec", "NONE");
    settings.put("rss.client.retry.interval.max", "10ms");
    SluiceClient client =
        SluiceClient.start(
            ClientConfig.from(ConfigSet.of(ClientConfig.SCHEMA, settings)), "app-1", "test");
    toClose.push(client);
    return client;
  }

  private static ShuffleAssignment pushAll(SluiceClient client) throws Exception {
    ShuffleAssignment assignment = register(client);
    for (int map = 0; map < MAPS; map++) {
      try (PushSession session = client.pushSession(assignment, new MapAttempt(100 + map, map))) {
        session.beginFinalPass();
        for (int partition = 0; partition < PARTITIONS; partition++) {
          session.add(partition, content(map, partition), 0, CONTENT_BYTES, 1);
        }
        session.finish();
      }
    }
    return assignment;
  }

  private static ShuffleAssignment register(SluiceClient client) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    for (int shuffle = 0; System.nanoTime() < deadline; shuffle++) {
      ShuffleRegistration outcome =
          client.applicationSession("me").registerShuffle(shuffle, PARTITIONS);
      if (outcome instanceof Assigned assigned) {
        return assigned.assignment();
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
    throw new AssertionError("no assignment");
  }

  private static ReadCounters readAll(SluiceClient client, ShuffleAssignment assignment)
      throws IOException {
    ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
    for (int map = 0; map < MAPS; map++) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        request.expect(partition, 100 + map, map);
      }
    }
    int count = 0;
    try (ShuffleRead read = client.read(request.build())) {
      for (ShuffleBlock block = read.next(); block != null; block = read.next()) {
        byte[] content = new byte[block.content().remaining()];
        block.content().get(content);
        // The first two bytes are map and partition.
        assertThat(content).isEqualTo(content(content[0], content[1]));
        count++;
      }
      assertThat(count).isEqualTo(MAPS * PARTITIONS);
      return read.counters();
    }
  }

  private static byte[] content(int map, int partition) {
    byte[] content = new byte[CONTENT_BYTES];
    new Random(map * 1000L + partition).nextBytes(content);
    content[0] = (byte) map;
    content[1] = (byte) partition;
    return content;
  }
}
