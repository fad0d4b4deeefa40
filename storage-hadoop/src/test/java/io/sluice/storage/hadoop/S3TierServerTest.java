package io.sluice.storage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.RemoteTierServerContract;
import io.sluice.server.ShuffleServerProcess;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * A complete server with S3A and an object store in this process as remote tier. The system
 * property names a file with the class path of S3A, which {@code integration-test/hadoop-s3} makes.
 */
@Tag("nightly")
@EnabledIfSystemProperty(named = S3TierServerTest.JARS, matches = ".+")
class S3TierServerTest extends RemoteTierServerContract {
  static final String JARS = "sluice.s3.jars";

  private static final String BUCKET = "sluice";

  private S3Server store;

  @BeforeEach
  void startStore() throws IOException {
    store = new S3Server(BUCKET, directory.resolve("objects"), directory.resolve("uploads"));
  }

  @AfterEach
  void stopStore() {
    store.close();
  }

  @Override
  protected String classPath() throws IOException {
    try {
      URL own = HadoopFileSystem.class.getProtectionDomain().getCodeSource().getLocation();
      String jars = Files.readString(Path.of(System.getProperty(JARS))).strip();
      return Path.of(own.toURI()) + File.pathSeparator + jars;
    } catch (URISyntaxException e) {
      throw new IOException(e);
    }
  }

  @Override
  protected Path remote() {
    return directory.resolve("objects/shuffle");
  }

  @Override
  protected String location() {
    return "s3a://" + BUCKET + "/shuffle";
  }

  @Override
  protected Map<String, String> settings() {
    return Map.of(
        "rss.server.hadoop.fs.s3a.endpoint", store.address(),
        "rss.server.hadoop.fs.s3a.endpoint.region", "us-east-1",
        "rss.server.hadoop.fs.s3a.path.style.access", "true",
        "rss.server.hadoop.fs.s3a.access.key", "user",
        "rss.server.hadoop.fs.s3a.secret.key", "secret");
  }

  @Override
  protected void makeUnavailable() {
    store.refuse(number -> true);
  }

  @Test
  void refusedRequestsAreRepeated() throws Exception {
    ShuffleServerProcess server = start("one", Map.of());
    store.refuse(number -> number % 3 == 0);
    push(server, "app");
    await(() -> remoteBytes() > REMOTE_BYTES);
    assertServesAll(server, "app");
    assertThat(store.refused()).isPositive();
  }

  @Test
  void unansweredRequestsAreRepeated() throws Exception {
    // The minimum of S3A.
    ShuffleServerProcess server =
        start("one", Map.of("rss.server.hadoop.fs.s3a.connection.timeout", "15s"));
    store.stall(number -> number % 20 == 0 && store.stalled() < 2);
    push(server, "app");
    await(() -> remoteBytes() > REMOTE_BYTES);
    await(() -> store.stalled() >= 2);
    assertServesAll(server, "app");
  }

  @Test
  void uploadsFewObjectsWithTheDefaultThreshold() throws Exception {
    ShuffleServerProcess server =
        start(
            "one",
            Map.of(
                "rss.server.buffer.capacity", "256m",
                "rss.server.disk.capacity", "256m",
                "rss.server.flush.cold.storage.threshold.size", "64m"));
    // More than memory, the directory and the bytes that must be in the store.
    pushBytes(server, "first", 512 << 20);
    pushBytes(server, "second", 512 << 20);
    await(() -> remoteBytes() > (512 << 20), 200);
    unregister(server, "first");
    unregister(server, "second");
    await(() -> remoteBytes() == 0);
    server.close();
    // Includes probes, and all objects that Hadoop writes for directories.
    assertThat((double) store.requests("PUT"))
        .as("requests %s, bytes %d", store.requests(), store.putBytes())
        .isPositive()
        .isLessThanOrEqualTo(1.1 * store.putBytes() / (16 << 20));
    assertThat(store.markers()).as("objects for empty directories").isZero();
  }
}
