package io.sluice.it.spark;

import static io.sluice.it.spark.WorkloadApplication.assertSucceeded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.demo.driver.Workload;
import io.sluice.it.cluster.TestCluster;
import io.sluice.it.faults.SmallDisk;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterCounters;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Queries of Comet through Sluice: rows are those of Spark without Comet, plans have Comet's
 * exchanges, and the bytes of these are at the servers.
 */
@TestInstance(Lifecycle.PER_CLASS)
@Tag("nightly")
class CometTest {
  private static final int SERVERS = 3;

  /** Share of the bytes of all exchanges that servers must receive. */
  private static final double LEAST_SHARE = 0.99;

  private static final String NATIVE = "CometExchange";
  private static final String COLUMNAR = "CometColumnarExchange";
  private static final String SCALE = "0.02";
  private static final String SPECULATED = "speculatedQuery";
  private static final String LAST_ROW = "lastRowGate";
  private static final String LARGE = "largeQuery";
  private static final String FEW_KEYS = "sortOfFewKeys";

  /** Size of a disk for the files of running map tasks. */
  private static final int SMALL_DISK_MB = 48;

  @TempDir static Path directory;

  private LocalCluster cluster;
  private ClusterProbe probe;
  private Outcome spark;
  private final List<String> queries = jobs(Workload.TPCH.select("1,3,5,13,18,21"));

  /** Settings with which every query has the same rows and exchanges. */
  private enum Setting {
    DEFAULT,
    ENCRYPTED,
    LOCAL_OUTPUT_ALWAYS,
    WITHOUT_LOCAL_OUTPUT;

    SparkApplication of(SparkApplication application) {
      return switch (this) {
        case DEFAULT -> application;
        case ENCRYPTED -> application.set("spark.io.encryption.enabled", "true");
        case LOCAL_OUTPUT_ALWAYS -> application.set("spark.rss.local.output", "always");
        case WITHOUT_LOCAL_OUTPUT -> application.set("spark.rss.local.output", "never");
      };
    }
  }

  private static List<String> jobs(List<String> numbers) {
    return numbers.stream().map(number -> Workload.TPCH + "/" + number).toList();
  }

  @BeforeAll
  void startClusterAndRunSpark() throws IOException, InterruptedException {
    cluster = TestCluster.builder(directory.resolve("cluster")).servers(SERVERS).build();
    cluster.start();
    probe = new ClusterProbe(cluster);
    probe.awaitActiveServers(SERVERS, Duration.ofSeconds(30));
    List<String> all = new ArrayList<>(List.of(Workload.TPCH + "/data"));
    all.addAll(queries);
    all.addAll(List.of("skewJoin", "mapGate", "readGate", "groupByKey"));
    all.addAll(List.of(SPECULATED, LAST_ROW, LARGE, FEW_KEYS));
    spark = tpch(new SparkApplication(directory.resolve("spark"))).run(all);
    assertSucceeded(spark, all);
  }

  @AfterAll
  void stopCluster() {
    if (cluster != null) {
      probe.close();
      cluster.close();
    }
  }

  private static SparkApplication tpch(SparkApplication application) {
    return WorkloadApplication.withManyExchanges(
        WorkloadApplication.with(Workload.TPCH, directory.resolve("data"), SCALE, application));
  }

  private SparkApplication comet(String name) {
    return WorkloadApplication.withComet(
        tpch(SparkApplication.onSluice(directory.resolve(name), cluster.quorum())));
  }

  private void assertRowsOfSpark(Outcome found, List<String> jobs) {
    for (String job : jobs) {
      assertThat(found.digest(job)).as(job).isEqualTo(spark.digest(job));
    }
  }

  /** Also with RDD jobs, whose shuffles are Spark's, in the same application. */
  @ParameterizedTest
  @EnumSource(Setting.class)
  void exchangesGoThroughServers(Setting setting) throws IOException, InterruptedException {
    List<String> jobs = new ArrayList<>(queries);
    jobs.addAll(List.of("skewJoin", "groupByKey"));
    ClusterCounters before = probe.counters();

    Outcome found = setting.of(comet("comet-" + setting)).run(jobs);

    assertSucceeded(found, jobs);
    assertRowsOfSpark(found, jobs);
    for (String query : queries) {
      assertThat(found.plan(query)).as(query).contains(NATIVE).doesNotContain(" Exchange ");
    }
    assertThat(found.plan("skewJoin")).contains(COLUMNAR).contains("skew=true");
    assertThat(found.fallbacks()).isEmpty();
    long written = jobs.stream().mapToLong(job -> found.number(job, "bytesWritten")).sum();
    assertThat(written).isGreaterThan(1 << 20);
    if (setting == Setting.LOCAL_OUTPUT_ALWAYS) {
      // The background push ends with the application; readers take the rest from local output.
      assertThat(probe.counters().since(before).pushedBytes()).isPositive();
    } else {
      assertThat((double) probe.counters().since(before).pushedBytes())
          .isGreaterThanOrEqualTo(LEAST_SHARE * written);
      assertThat(found.ofAllShuffles("writes.localBytes")).isZero();
      assertThat(jobs.stream().mapToLong(job -> found.number(job, "localBytesRead")).sum())
          .isZero();
    }
  }

  /** One server is lost during maps, another one during reads. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void lostServersChangeNoRow(boolean encrypted) throws IOException, InterruptedException {
    List<String> jobs = List.of("mapGate", "readGate", queries.get(0));
    Outcome found;
    try {
      found =
          (encrypted ? Setting.ENCRYPTED : Setting.DEFAULT)
              .of(comet("lost-" + encrypted))
              .set("spark.rss.client.connect.timeout", "2s")
              .set("spark.rss.client.rpc.timeout.ms", "3s")
              .set("spark.rss.client.server.unreachable.timeout", "2s")
              .set("spark.rss.client.send.check.timeout.ms", "5s")
              .at("in-map", () -> cluster.servers().get(0).kill())
              .at("in-read", () -> cluster.servers().get(1).kill())
              .run(jobs);
    } finally {
      restart(0);
      restart(1);
    }

    assertSucceeded(found, jobs);
    assertRowsOfSpark(found, jobs);
    assertThat(found.plan("mapGate")).contains(COLUMNAR);
    assertThat(found.plan("readGate")).contains(NATIVE);
    assertThat(found.number("readGate", "fetchFailures")).isPositive();
    assertThat(found.number("readGate", "failedStages")).isPositive();
    // The lost blocks were written again, in a stage that was repeated.
    assertThat(found.number("mapGate", "mapTasks") + found.number("readGate", "mapTasks"))
        .isGreaterThan(spark.number("mapGate", "mapTasks") + spark.number("readGate", "mapTasks"));
    assertThat(found.anyReassigned()).isTrue();
  }

  private void restart(int server) throws IOException, InterruptedException {
    if (!cluster.servers().get(server).isAlive()) {
      cluster.servers().get(server).start();
    }
    probe.awaitActiveServers(SERVERS, Duration.ofSeconds(60));
  }

  /** Without a coordinator, the shuffle is that of Comet, and plans do not change. */
  @Test
  void fallsBackToTheShuffleOfComet() throws IOException, InterruptedException {
    List<String> jobs = List.of(queries.get(1), "skewJoin", "groupByKey");

    Outcome found =
        comet("fallback")
            .set("spark.rss.coordinator.quorum", "127.0.0.1:1")
            .set("spark.rss.client.rpc.timeout.ms", "1s")
            .run(jobs);

    assertSucceeded(found, jobs);
    assertRowsOfSpark(found, jobs);
    assertThat(found.plan(queries.get(1))).contains(NATIVE);
    assertThat(found.plan("skewJoin")).contains(COLUMNAR);
    assertThat(found.shufflesOnSluice()).isZero();
    assertThat(found.fallbacks()).isNotEmpty();
  }

  /** Rows of an RDD have a native exchange, or a columnar one. */
  private SparkApplication comet(String name, boolean nativeExchange) {
    return comet(name + "-" + (nativeExchange ? "native" : "columnar"))
        .set("spark.comet.sparkToColumnar.enabled", Boolean.toString(nativeExchange));
  }

  private static void assertExchange(Outcome found, String job, boolean nativeExchange) {
    assertThat(found.plan(job)).contains(nativeExchange ? NATIVE : COLUMNAR);
  }

  /**
   * Two attempts of one map task end at the same time, so both push; an attempt of another map task
   * fails at its last row.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void readsOneAttemptOfEachMapTask(boolean nativeExchange)
      throws IOException, InterruptedException {
    List<String> jobs = List.of(SPECULATED);

    Outcome found =
        comet("speculated", nativeExchange)
            .set("spark.master", "two-hosts")
            .set("spark.speculation", "true")
            .set("spark.speculation.interval", "100ms")
            .set("spark.speculation.quantile", "0.5")
            .set("spark.speculation.minTaskRuntime", "1s")
            .run(jobs);

    assertSucceeded(found, jobs);
    assertRowsOfSpark(found, jobs);
    assertExchange(found, SPECULATED, nativeExchange);
    long killed = found.number(SPECULATED, "killedTasks");
    assertThat(killed).isPositive();
    assertThat(found.number(SPECULATED, "failedTasks")).isGreaterThan(killed);
    assertThat(found.number(SPECULATED, "fetchFailures")).isZero();
    assertThat(found.fallbacks()).isEmpty();
  }

  /** One server has no free space, or both have none; then the rest is local output. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void fullServersRepeatNoMapTask(int full) throws IOException, InterruptedException {
    List<String> jobs = List.of(LARGE);
    try (LocalCluster small =
            TestCluster.builder(directory.resolve("full-servers-" + full)).servers(2).build();
        ClusterProbe counted = new ClusterProbe(small)) {
      for (int server = 0; server < full; server++) {
        small.servers().get(server).configure("rss.server.buffer.capacity", "16MiB");
        small.servers().get(server).configure("rss.server.disk.capacity", "1MiB");
      }
      small.start();
      counted.awaitActiveServers(2, Duration.ofSeconds(30));

      Outcome found =
          comet("full-" + full)
              .set("spark.rss.coordinator.quorum", small.quorum())
              .set("spark.rss.client.server.unreachable.timeout", "2s")
              .run(jobs);

      assertSucceeded(found, jobs);
      assertRowsOfSpark(found, jobs);
      assertThat(found.plan(LARGE)).contains(NATIVE);
      assertThat(found.fallbacks()).isEmpty();
      assertThat(found.number(LARGE, "failedTasks")).isZero();
      assertThat(found.number(LARGE, "mapTasks")).isEqualTo(spark.number(LARGE, "mapTasks"));
      assertThat(counted.counters().pushedBytes()).isPositive();
      assertThat(found.anyReassigned()).isTrue();
      if (full == 2) {
        assertThat(found.ofAllShuffles("writes.localBytes")).isPositive();
      } else {
        assertThat(found.ofAllShuffles("writes.localBytes")).isZero();
      }
    }
  }

  /**
   * The disk of the executors is full while map tasks write their files: they fail and leave no
   * file. The query succeeds when the disk has space again.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFullDiskOfExecutorsFailsMapTasksOnly(boolean nativeExchange)
      throws IOException, InterruptedException {
    String again = LAST_ROW + "#2";
    try (SmallDisk disk =
        SmallDisk.create(directory.resolve("small-disk-" + nativeExchange), SMALL_DISK_MB)
            .orElse(null)) {
      assumeTrue(disk != null, "only root can create a file system");
      AtomicBoolean filled = new AtomicBoolean();

      Outcome found =
          comet("full-disk", nativeExchange)
              .set("spark.local.dir", disk.directory().toString())
              .set("spark.task.maxFailures", "1")
              .at(
                  "last-row",
                  () -> {
                    if (filled.compareAndSet(false, true)) {
                      disk.fill();
                    }
                  })
              .at(
                  "failed",
                  () -> {
                    disk.free();
                    probe.await(
                        "end of all map tasks, with their files",
                        Duration.ofSeconds(60),
                        () -> shuffleFiles(disk.directory()).isEmpty());
                  })
              .run(List.of(LAST_ROW, "pause:failed", again));

      assertThat(found.error(LAST_ROW))
          .hasValueSatisfying(error -> assertThat(error).contains("No space left on device"));
      assertSucceeded(found, List.of(again));
      assertExchange(found, again, nativeExchange);
      assertThat(found.digest(again)).isEqualTo(spark.digest(LAST_ROW));
      assertThat(found.fallbacks()).isEmpty();
    }
  }

  private static List<Path> shuffleFiles(Path below) throws IOException {
    try (Stream<Path> files = Files.walk(below)) {
      return files.filter(file -> file.getFileName().toString().contains("shuffle_")).toList();
    }
  }

  /** Comet writes lengths of partitions that its partitioner does not have. */
  @Test
  void rangePartitionsWithoutKeysAreEmpty() throws IOException, InterruptedException {
    List<String> jobs = List.of(FEW_KEYS);

    Outcome found = comet("few-keys").run(jobs);

    assertSucceeded(found, jobs);
    assertRowsOfSpark(found, jobs);
    assertThat(found.plan(FEW_KEYS)).contains(NATIVE).contains("rangepartitioning");
    assertThat(found.fallbacks()).isEmpty();
    assertThat(found.shufflesOnSluice()).isPositive();
  }

  /** The symptom in docs/troubleshooting.md. */
  @Test
  void withoutItsJarPlansAreThoseOfSpark() throws IOException, InterruptedException {
    List<String> jobs = List.of(queries.get(0));

    Outcome found =
        tpch(SparkApplication.onSluice(directory.resolve("without-jar"), cluster.quorum()))
            .set("spark.sql.extensions", "org.apache.comet.CometSparkSessionExtensions")
            .run(jobs);

    assertSucceeded(found, jobs);
    assertRowsOfSpark(found, jobs);
    assertThat(found.plan(queries.get(0))).contains(" Exchange ").doesNotContain("Comet");
    assertThat(found.linesWith("Comet plans no exchanges of its own")).isEqualTo(1);
    assertThat(found.shufflesOnSluice()).isPositive();
  }
}
