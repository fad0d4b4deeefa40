package io.sluice.storage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.server.RemoteTierServerContract;
import io.sluice.server.ShuffleServerProcess;
import io.sluice.server.remote.spi.RemoteEntry;
import io.sluice.server.remote.spi.RemoteFileSystem;
import io.sluice.server.remote.spi.RemoteOutput;
import io.sluice.server.remote.spi.RemoteSettings;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * A complete server with HDFS as remote tier. The system property names a file with the class path
 * of Hadoop's mini cluster, which {@code integration-test/hadoop-hdfs} makes.
 */
@Tag("nightly")
@EnabledIfSystemProperty(named = HdfsTierServerTest.JARS, matches = ".+")
class HdfsTierServerTest extends RemoteTierServerContract {
  static final String JARS = "sluice.hdfs.jars";

  /** Requests fail after seconds, not minutes, while the name node does not answer. */
  private static final Map<String, String> HADOOP =
      Map.of(
          "dfs.replication", "1",
          "ipc.client.rpc-timeout.ms", "3000",
          "ipc.client.connect.timeout", "3000",
          "ipc.client.connect.max.retries.on.timeouts", "0",
          "ipc.client.connect.max.retries", "1",
          "dfs.client.socket-timeout", "3000");

  /** More than the minute after which a failed upload is repeated. */
  private static final int UPLOAD_SECONDS = 200;

  @TempDir private static Path clusterDirectory;
  private static HdfsCluster cluster;

  private String path;

  @BeforeAll
  static void startCluster() throws Exception {
    cluster = new HdfsCluster(jars(), clusterDirectory);
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  @BeforeEach
  void choosePath(TestInfo test) {
    path = "/" + test.getTestMethod().orElseThrow().getName();
  }

  private static String jars() throws IOException {
    return Files.readString(Path.of(System.getProperty(JARS))).strip();
  }

  @Override
  protected String classPath() throws IOException {
    try {
      URL own = HadoopFileSystem.class.getProtectionDomain().getCodeSource().getLocation();
      return Path.of(own.toURI()) + File.pathSeparator + jars();
    } catch (URISyntaxException e) {
      throw new IOException(e);
    }
  }

  @Override
  protected String location() {
    return cluster.uri() + path;
  }

  @Override
  protected Map<String, String> settings() {
    return HADOOP.entrySet().stream()
        .collect(
            Collectors.toMap(each -> "rss.server.hadoop." + each.getKey(), Map.Entry::getValue));
  }

  @Override
  protected RemoteFileSystem openRemote() throws IOException {
    return open(location());
  }

  private static RemoteFileSystem open(String location) throws IOException {
    return new HadoopFileSystemProvider()
        .open(new RemoteSettings(location, Optional.empty(), HADOOP, Optional.empty()));
  }

  /** A file where the directory should be. */
  @Override
  protected void makeUnavailable() throws IOException {
    try (RemoteFileSystem root = open(cluster.uri() + "/")) {
      write(root, path.substring(1), "a file where a directory should be");
    }
  }

  @Test
  void uploadsContinueAfterTheNameNodeWasDown() throws Exception {
    // So little stays in memory that the blocks fill the directory, whenever they are spilled.
    ShuffleServerProcess server =
        start(
            "one",
            Map.of(
                "rss.server.disk.capacity", "24m",
                "rss.server.memory.shuffle.highWaterMark.percentage", "25",
                "rss.server.memory.shuffle.lowWaterMark.percentage", "10",
                "rss.server.health.check.interval.ms", "200ms"));
    cluster.close();
    try {
      pushUntilFull(server);
      await(() -> !disk(server, "HDD").getHealthy());
      assertServesAll(server, "app");
    } finally {
      cluster.restart();
    }
    await(() -> remoteBytes() > 0 && disk(server, "HDD").getHealthy(), UPLOAD_SECONDS);
    assertServesAll(server, "app");
  }

  /**
   * Pushes more than the directory stores. If it is full early, the rest does not fit in memory.
   */
  private void pushUntilFull(ShuffleServerProcess server) throws IOException {
    try {
      push(server, "app", 150);
    } catch (SluiceException e) {
      assertThat(e.code()).isEqualTo(StatusCode.NO_SPACE);
    }
  }

  @Test
  void uploadedDataIsServedAgainAfterTheNameNodeWasDown() throws Exception {
    ShuffleServerProcess server =
        start("one", Map.of("rss.server.health.check.interval.ms", "200ms"));
    push(server, "app");
    await(() -> remoteBytes() > REMOTE_BYTES);
    cluster.close();
    try {
      await(() -> !disk(server, "REMOTE").getHealthy());
    } finally {
      cluster.restart();
    }
    awaitServesAll(server);
  }

  /** A name node refuses to create a file again whose writer has not closed it. */
  @Test
  void anInterruptedUploadIsRepeated() throws Exception {
    try (RemoteFileSystem files = openRemote()) {
      RemoteOutput interrupted = files.create("app/server/a.run");
      interrupted.write(ByteBuffer.allocate(1_000));
      cluster.close();
      try {
        assertThatThrownBy(interrupted::close).isInstanceOf(IOException.class);
      } finally {
        cluster.restart();
      }
      write(files, "app/server/a.run", "whole");
      assertThat(files.list("app/server")).containsExactly(new RemoteEntry("a.run", false, 5));
    }
  }

  @Test
  void readsFailWhileTheNameNodeHangsAndLoseNothing() throws Exception {
    ShuffleServerProcess server = start("one", Map.of("rss.server.disk.read.timeout", "5s"));
    push(server, "app");
    await(() -> remoteBytes() > REMOTE_BYTES);
    cluster.pause();
    try {
      SluiceException failure =
          catchThrowableOfType(SluiceException.class, () -> assertServesAll(server, "app"));
      assertThat(failure.code()).isNotEqualTo(StatusCode.LOST);
    } finally {
      cluster.resume();
    }
    awaitServesAll(server);
  }

  /** Waits until all data is served; none of it may be lost. */
  private void awaitServesAll(ShuffleServerProcess server) throws Exception {
    await(
        () -> {
          try {
            assertServesAll(server, "app");
            return true;
          } catch (SluiceException e) {
            assertThat(e.code()).isNotEqualTo(StatusCode.LOST);
            return false;
          }
        });
  }

  @Test
  void startsWhileTheNameNodeHangs() throws Exception {
    cluster.pause();
    try {
      ShuffleServerProcess server =
          start("one", Map.of("rss.server.remote.storage.start.timeout", "100ms"));
      push(server, "app", 20);
      assertServesAll(server, "app");
    } finally {
      cluster.resume();
    }
  }
}
