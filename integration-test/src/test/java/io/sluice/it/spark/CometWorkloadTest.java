package io.sluice.it.spark;

import static io.sluice.it.spark.WorkloadApplication.assertSucceeded;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * All queries of TPC-H and TPC-DS with Comet through Sluice, without broadcast joins: rows are
 * those of Spark without Comet, unless Comet alone has other ones, each query that shuffles has
 * Comet's exchanges, and the bytes of all exchanges are at the servers.
 */
@Tag("nightly")
class CometWorkloadTest {
  /** Share of the bytes of all exchanges that servers must receive. */
  private static final double LEAST_SHARE = 0.99;

  private static final String EXCHANGE_OF_SPARK = " Exchange ";
  private static final List<String> EXCHANGES_OF_COMET =
      List.of(" CometExchange ", " CometColumnarExchange ");

  /** Queries for which Comet 0.12 returns nulls, with its own shuffle, too. */
  private static final List<String> WRONG_IN_COMET = List.of("tpcds/9");

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({"TPCDS, 0.01", "TPCH, 0.05"})
  void everyQueryHasTheRowsOfSpark(Workload workload, String scale)
      throws IOException, InterruptedException {
    List<String> queries =
        workload.queries().stream().map(number -> workload + "/" + number).toList();
    List<String> all = new ArrayList<>(List.of(workload + "/data"));
    all.addAll(queries);
    Outcome spark = on(workload, scale, new SparkApplication(directory.resolve("spark"))).run(all);
    assertSucceeded(spark, all);

    try (LocalCluster cluster = TestCluster.builder(directory.resolve("cluster")).build();
        ClusterProbe probe = new ClusterProbe(cluster)) {
      cluster.start();
      probe.awaitActiveServers(cluster.servers().size(), Duration.ofSeconds(30));
      ClusterCounters before = probe.counters();
      SparkApplication comet =
          SparkApplication.onSluice(directory.resolve("comet"), cluster.quorum());

      Outcome found = WorkloadApplication.withComet(on(workload, scale, comet)).run(queries);

      assertSucceeded(found, queries);
      List<String> wrong = queries.stream().filter(WRONG_IN_COMET::contains).toList();
      assertThat(queries)
          .filteredOn(query -> !found.digest(query).equals(spark.digest(query)))
          .as("queries with other rows")
          .isEqualTo(wrong);
      assertRowsOfComet(workload, scale, found, wrong);
      assertThat(queries)
          .filteredOn(query -> spark.plan(query).contains(EXCHANGE_OF_SPARK))
          .hasSizeGreaterThan(queries.size() / 2)
          .allMatch(query -> EXCHANGES_OF_COMET.stream().anyMatch(found.plan(query)::contains));
      assertThat(found.fallbacks()).isEmpty();
      long written = queries.stream().mapToLong(query -> found.number(query, "bytesWritten")).sum();
      long pushed = probe.counters().since(before).pushedBytes();
      report(found, queries, written, pushed);
      assertThat(written).isGreaterThan(1 << 20);
      assertThat((double) pushed).isGreaterThanOrEqualTo(LEAST_SHARE * written);
      assertThat(found.ofAllShuffles("writes.localBytes")).isZero();
    }
  }

  /** Compares queries with Comet and its own shuffle. */
  private void assertRowsOfComet(
      Workload workload, String scale, Outcome found, List<String> queries)
      throws IOException, InterruptedException {
    if (queries.isEmpty()) {
      return;
    }
    SparkApplication alone =
        new SparkApplication(directory.resolve("alone"))
            .set(
                "spark.shuffle.manager",
                "org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager");
    Outcome own = WorkloadApplication.withComet(on(workload, scale, alone)).run(queries);
    assertSucceeded(own, queries);
    for (String query : queries) {
      assertThat(found.digest(query)).as(query).isEqualTo(own.digest(query));
    }
  }

  private SparkApplication on(Workload workload, String scale, SparkApplication application) {
    return WorkloadApplication.withManyExchanges(
        WorkloadApplication.with(workload, directory.resolve("data"), scale, application));
  }

  /** Prints figures for pages. */
  private static void report(Outcome found, List<String> queries, long written, long pushed) {
    String plans =
        String.join("", queries.stream().map(query -> finalPlan(found.plan(query))).toList());
    System.out.printf(
        "queries=%d nativeExchanges=%d columnarExchanges=%d exchangesOfSpark=%d writtenBytes=%d"
            + " pushedBytes=%d%n",
        queries.size(),
        count(plans, EXCHANGES_OF_COMET.get(0)),
        count(plans, EXCHANGES_OF_COMET.get(1)),
        count(plans, EXCHANGE_OF_SPARK),
        written,
        pushed);
  }

  /** Without the initial plan, which has all exchanges once more. */
  private static String finalPlan(String plan) {
    return plan.split("== Initial Plan ==", 2)[0];
  }

  private static int count(String text, String part) {
    return text.split(part, -1).length - 1;
  }
}
