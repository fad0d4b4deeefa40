package io.sluice.storage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.client.SluiceClient;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.read.BlocksMissingException;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.client.read.ReadCounters;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import io.sluice.common.run.RunReader;
import io.sluice.server.ShuffleServerProcess;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
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

  @TempDir private Path directory;
  private TieredCluster cluster;

  @BeforeEach
  void start() throws Exception {
    cluster = new TieredCluster(directory, MAPS, PARTITIONS, Map.of());
    ShuffleServerProcess unused =
        cluster.startServer("local", Map.of("rss.server.heartbeat.interval", "100ms"));
  }

  @AfterEach
  void stop() throws Exception {
    cluster.close();
  }

  @Test
  void readsRemoteFilesDirectlyAndTheRestFromTheServer() throws Exception {
    SluiceClient client = startClient(Map.of(REMOTE, "file:" + cluster.remote()));
    ReadCounters counters = readAll(client, pushAll(client));
    assertThat(cluster.remoteFiles()).isNotEmpty();
    assertThat(counters.files().bytes()).isPositive().isLessThan(counters.bytes());
    assertThat(counters.files().failures()).isZero();
  }

  @Test
  void readsRemoteFilesOnlyIfConfigured() throws Exception {
    // Files on the server's host are not remote files.
    SluiceClient client = startClient(Map.of());
    ShuffleAssignment assignment = pushAll(client);
    assertThat(cluster.remoteFiles()).isNotEmpty();
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
    assertThat(cluster.remoteFiles()).isNotEmpty();
    assertThat(counters.files().bytes()).isLessThanOrEqualTo(localBytes());
    assertThat(counters.files().failures()).isPositive();
  }

  @Test
  void readsFromTheServerIfDirectReadsAreDisabled() throws Exception {
    SluiceClient client =
        startClient(
            Map.of(
                REMOTE,
                "file:" + cluster.remote(),
                "rss.client.read.shortcircuit.enabled",
                Boolean.toString(false)));
    ReadCounters counters = readAll(client, pushAll(client));
    assertThat(counters.files().bytes()).isZero();
  }

  @Test
  void findsAFlippedByte() throws Exception {
    SluiceClient client = startClient(Map.of(REMOTE, "file:" + cluster.remote()));
    ShuffleAssignment assignment = pushAll(client);
    // Files are read only when they are complete, which may take some time.
    Optional<Path> damaged = Optional.empty();
    BlocksMissingException missing = null;
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (missing == null) {
      assertThat(System.nanoTime()).as("damaged file: " + damaged).isLessThan(deadline);
      if (damaged.isEmpty()) {
        damaged = cluster.remoteFiles().stream().filter(DirectReadTest::isWhole).findFirst();
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

  private Set<String> modes() throws IOException {
    Set<String> modes = new HashSet<>();
    for (Path file : cluster.remoteFiles()) {
      modes.add(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }
    return modes;
  }

  private long localBytes() throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("local/runs"))) {
      return files.map(Path::toFile).filter(File::isFile).mapToLong(File::length).sum();
    }
  }

  private SluiceClient startClient(Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(more);
    settings.put("rss.client.retry.interval.max", "10ms");
    return cluster.startClient(settings);
  }

  private ShuffleAssignment pushAll(SluiceClient client) throws Exception {
    ShuffleAssignment assignment = cluster.register(client);
    cluster.pushAll(client, assignment);
    return assignment;
  }

  private ReadCounters readAll(SluiceClient client, ShuffleAssignment assignment)
      throws IOException {
    int count = 0;
    try (ShuffleRead read = client.read(cluster.request(assignment).build())) {
      for (ShuffleBlock block = read.next(); block != null; block = read.next()) {
        TieredCluster.check(block);
        count++;
      }
      assertThat(count).isEqualTo(MAPS * PARTITIONS);
      return read.counters();
    }
  }
}
