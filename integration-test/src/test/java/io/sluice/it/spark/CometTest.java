package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.demo.driver.Workload;
import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterCounters;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
    return application
        .withDemoDriver()
        .set("spark.sql.datetime.java8API.enabled", "true")
        .set("spark.sluice.test.workload.directory", directory.resolve("data").toString())
        .set("spark.sluice.test.workload.scale", SCALE)
        .set("spark.sql.files.maxPartitionBytes", "512k")
        .set("spark.sql.files.openCostInBytes", "0")
        .set("spark.sql.autoBroadcastJoinThreshold", "-1");
  }

  private SparkApplication comet(String name) {
    return tpch(SparkApplication.onSluice(directory.resolve(name), cluster.quorum()))
        .withJar(SparkVersion.cometJar())
        .set("spark.plugins", "org.apache.spark.CometPlugin")
        .set("spark.memory.offHeap.enabled", "true")
        .set("spark.memory.offHeap.size", "512m");
  }

  private static void assertSucceeded(Outcome outcome, List<String> jobs) {
    assertThat(outcome.exitCode()).as(outcome.log()).isZero();
    for (String job : jobs) {
      assertThat(outcome.error(job)).as(outcome.log()).isEmpty();
    }
  }

  private static String plan(Outcome outcome, String job) {
    return outcome.results().getProperty(job + ".plan");
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
      assertThat(plan(found, query)).as(query).contains(NATIVE).doesNotContain(" Exchange ");
    }
    assertThat(plan(found, "skewJoin")).contains(COLUMNAR).contains("skew=true");
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
    assertThat(plan(found, "mapGate")).contains(COLUMNAR);
    assertThat(plan(found, "readGate")).contains(NATIVE);
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
    assertThat(plan(found, queries.get(1))).contains(NATIVE);
    assertThat(plan(found, "skewJoin")).contains(COLUMNAR);
    assertThat(found.shufflesOnSluice()).isZero();
    assertThat(found.fallbacks()).isNotEmpty();
  }
}
