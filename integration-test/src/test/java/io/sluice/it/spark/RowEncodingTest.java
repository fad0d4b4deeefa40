package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * SQL jobs have the same rows with and without row planes, and tasks write fewer bytes with them.
 * The jobs have strings, numbers, nulls, collections, skew splits, and reads by map.
 */
@TestInstance(Lifecycle.PER_CLASS)
@Tag("nightly")
class RowEncodingTest {
  private static final String KEY = "spark.rss.client.io.row.planes";
  private static final List<String> JOBS =
      List.of("aggregate", "join", "window", "rangeSort", "skewJoin", "localReader", "notAdaptive");

  @TempDir static Path directory;

  private final Map<String, Outcome> withoutPlanes = new HashMap<>();
  private LocalCluster cluster;

  @BeforeAll
  void startCluster() throws IOException, InterruptedException {
    cluster = TestCluster.builder(directory.resolve("cluster")).build();
    cluster.start();
    try (ClusterProbe probe = new ClusterProbe(cluster)) {
      probe.awaitActiveServers(2, Duration.ofSeconds(30));
    }
  }

  @AfterAll
  void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private SparkApplication application(String name, String codec) {
    SparkApplication made =
        SparkApplication.onSluice(directory.resolve(name), cluster.quorum())
            .set("spark.sql.shuffle.partitions", "20");
    return codec.equals("none")
        ? made.set("spark.shuffle.compress", "false")
        : made.set("spark.io.compression.codec", codec);
  }

  private Outcome without(String codec) throws IOException, InterruptedException {
    if (!withoutPlanes.containsKey(codec)) {
      withoutPlanes.put(codec, application("off-" + codec, codec).set(KEY, "false").run(JOBS));
    }
    return withoutPlanes.get(codec);
  }

  /**
   * @param percent maximum bytes that tasks write, of those without row planes
   */
  private void assertSameRowsInFewerBytes(Outcome found, Outcome plain, int percent) {
    assertThat(plain.exitCode()).as(plain.log()).isZero();
    assertThat(found.exitCode()).as(found.log()).isZero();
    assertThat(found.fallbacks()).isEmpty();
    long bytes = 0;
    long plainBytes = 0;
    for (String job : JOBS) {
      assertThat(found.digest(job)).as(job).isEqualTo(plain.digest(job));
      assertThat(found.number(job, "failedTasks")).as(job).isZero();
      assertThat(found.number(job, "recordsRead")).isEqualTo(plain.number(job, "recordsRead"));
      bytes += found.number(job, "bytesWritten");
      plainBytes += plain.number(job, "bytesWritten");
    }
    assertThat(plainBytes).isPositive();
    assertThat(bytes).isLessThan(plainBytes * percent / 100);
  }

  @Test
  void rowsAreTheSameInFewerBytes() throws IOException, InterruptedException {
    assertSameRowsInFewerBytes(application("lz4", "lz4").run(JOBS), without("lz4"), 80);
  }

  @Test
  void rowsAreTheSameIfBlocksAreEncrypted() throws IOException, InterruptedException {
    Outcome found =
        application("encrypted", "lz4").set("spark.io.encryption.enabled", "true").run(JOBS);
    assertSameRowsInFewerBytes(found, without("lz4"), 80);
  }

  @ParameterizedTest
  @ValueSource(strings = {"zstd", "snappy", "none"})
  void rowsAreTheSameWithOtherCodecs(String codec) throws IOException, InterruptedException {
    assertSameRowsInFewerBytes(application(codec, codec).run(JOBS), without(codec), 90);
  }

  @Test
  void rowsAreTheSameFromLocalOutput() throws IOException, InterruptedException {
    Outcome found = application("always", "lz4").set("spark.rss.local.output", "always").run(JOBS);
    assertSameRowsInFewerBytes(found, without("lz4"), 80);
  }
}
