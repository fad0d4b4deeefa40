package io.sluice.it.spark;

import static io.sluice.it.spark.WorkloadApplication.assertSucceeded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.sluice.demo.driver.Workload;
import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * TPC-H and TPC-DS with adaptive execution and thresholds adapted to a few MiB. Shuffle sizes and
 * final plans must be those of the built-in shuffle with the same codec. Most partitions of a map
 * task have tens of bytes, so framing affects sizes.
 */
@TestInstance(Lifecycle.PER_CLASS)
class AdaptivePlansTest {
  private static final List<String> BROADCASTING =
      List.of("tpch/broadcast/2", "tpch/broadcast/8", "tpch/broadcast/16", "tpch/broadcast/21");

  /**
   * A map status rounds each size up by at most 10 %. If the partitions of a shuffle have similar
   * sizes, one more byte can round all of them up.
   */
  private static final long SIZE_PERCENT = 10;

  /** Tolerance for compressed sizes, which depend on the order of rows with equal keys. */
  private static final long TOTAL_SIZE_PERCENT = 3;

  private static final long FEW_BYTES = 256;

  private static final String SIZE = "AQEShuffleRead.partitionDataSize";

  @TempDir static Path directory;

  private final Map<String, Outcome> builtIn = new HashMap<>();
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

  private static SparkApplication on(Workload workload, SparkApplication application) {
    return WorkloadApplication.with(
        workload, data(workload), workload == Workload.TPCH ? "0.02" : "0.01", application);
  }

  private static Path data(Workload workload) {
    return directory.resolve("data-" + workload);
  }

  private static void makeTables(Workload workload) throws IOException, InterruptedException {
    if (Files.notExists(data(workload))) {
      List<String> job = List.of(workload + "/data");
      assertSucceeded(
          on(workload, new SparkApplication(directory.resolve("generator-" + workload))).run(job),
          job);
    }
  }

  private static SparkApplication adaptive(
      Workload workload, SparkApplication application, String codec) {
    return on(workload, application)
        .set("spark.io.compression.codec", codec)
        // One core: stages end in the same order in both applications.
        .set("spark.master", "local-cluster[1,1,1024]")
        // Sluice turns it off.
        .set("spark.sql.adaptive.localShuffleReader.enabled", "false")
        .set("spark.sql.shuffle.partitions", "200")
        .set("spark.sql.files.maxPartitionBytes", "256k")
        .set("spark.sql.files.openCostInBytes", "0")
        .set("spark.sql.autoBroadcastJoinThreshold", "-1")
        .set("spark.sql.adaptive.coalescePartitions.parallelismFirst", "false")
        .set("spark.sql.adaptive.coalescePartitions.minPartitionSize", "1k")
        .set("spark.sql.adaptive.advisoryPartitionSizeInBytes", "64k");
  }

  /** One aggregation, a few joins, an outer join. */
  @Test
  @Tag("nightly")
  void sizesAndFinalPlansAreThoseOfTheBuiltInShuffle() throws IOException, InterruptedException {
    assertSameSizesAndPlans(
        Workload.TPCH, "zstd", true, Workload.TPCH.select("1,3,13"), List.of("tpch/broadcast/8"));
  }

  @ParameterizedTest
  @CsvSource({"zstd, true", "zstd, false", "lz4, true", "lz4, false", "snappy, true"})
  @Tag("nightly")
  void sizesAndFinalPlansOfTpchAreThoseOfTheBuiltInShuffle(String codec, boolean rowPlanes)
      throws IOException, InterruptedException {
    assertSameSizesAndPlans(Workload.TPCH, codec, rowPlanes, Workload.TPCH.queries(), BROADCASTING);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Tag("nightly")
  void sizesAndFinalPlansOfTpcdsAreThoseOfTheBuiltInShuffle(boolean rowPlanes)
      throws IOException, InterruptedException {
    assertSameSizesAndPlans(Workload.TPCDS, "zstd", rowPlanes, Workload.TPCDS.queries(), List.of());
  }

  /**
   * @param rowPlanes whether rows are encoded; map statuses have the sizes without
   * @param numbers queries whose plans are compared
   * @param broadcasting queries some of whose joins become broadcast joins at run time
   */
  private void assertSameSizesAndPlans(
      Workload workload,
      String codec,
      boolean rowPlanes,
      List<String> numbers,
      List<String> broadcasting)
      throws IOException, InterruptedException {
    makeTables(workload);
    List<String> queries = numbers.stream().map(query -> workload + "/" + query).toList();
    List<String> jobs = new ArrayList<>(queries);
    jobs.addAll(broadcasting);
    String name = workload + "-" + codec + "-" + numbers.size();
    Outcome builtIn = builtIn(name, workload, codec, jobs);
    Outcome found =
        adaptive(
                workload,
                SparkApplication.onSluice(
                    directory.resolve("sluice-" + name + "-" + rowPlanes), cluster.quorum()),
                codec)
            .set("spark.rss.client.io.row.planes", Boolean.toString(rowPlanes))
            .run(jobs);
    assertSucceeded(found, jobs);
    assertThat(found.fallbacks()).isEmpty();
    long total = 0;
    long foundTotal = 0;
    for (String query : queries) {
      assertThat(found.digest(query)).as(query).isEqualTo(builtIn.digest(query));
      assertThat(found.plan(query)).as(query).isEqualTo(builtIn.plan(query));
      if (builtIn.metrics(query).containsKey(SIZE)) {
        long size = builtIn.metrics(query).get(SIZE).value();
        long foundSize = found.metrics(query).get(SIZE).value();
        total += size;
        foundTotal += foundSize;
        assertThat(foundSize)
            .as(query)
            .isCloseTo(size, offset(Math.max(FEW_BYTES, size * SIZE_PERCENT / 100)));
      }
    }
    assertThat(total).isPositive();
    assertThat(foundTotal)
        .as("all queries")
        .isCloseTo(total, offset(Math.max(FEW_BYTES, total * TOTAL_SIZE_PERCENT / 100)));
    // The exchanges of such a query, but not its joins, depend on which of two stages ends first.
    for (String query : broadcasting) {
      assertThat(found.digest(query)).as(query).isEqualTo(builtIn.digest(query));
      assertThat(finalJoins(found, query))
          .as(query)
          .isEqualTo(finalJoins(builtIn, query))
          .anyMatch(join -> join.startsWith("BroadcastHashJoin"));
    }
  }

  /** Runs jobs with the built-in shuffle, for which row planes make no difference, once. */
  private Outcome builtIn(String name, Workload workload, String codec, List<String> jobs)
      throws IOException, InterruptedException {
    Outcome known = builtIn.get(name);
    if (known == null) {
      SparkApplication application = new SparkApplication(directory.resolve("built-in-" + name));
      known = adaptive(workload, application, codec).run(jobs);
      assertSucceeded(known, jobs);
      builtIn.put(name, known);
    }
    return known;
  }

  private static List<String> finalJoins(Outcome outcome, String query) {
    return outcome
        .plan(query)
        .lines()
        .takeWhile(line -> !line.contains("== Initial Plan =="))
        .filter(line -> line.contains("Join ["))
        .map(line -> line.replaceFirst("^[^A-Z]*", ""))
        .sorted()
        .toList();
  }
}
