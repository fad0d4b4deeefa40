package io.sluice.demo.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.demo.driver.DriverMessage;
import io.sluice.demo.driver.DriverSettings;
import io.sluice.demo.driver.ResultRows;
import io.sluice.demo.driver.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the tables and all queries at scale factor 0.01, in a local Spark. */
final class TpchTest {
  private static final double SCALE = 0.01;

  /**
   * Rows of each query, from query 1. At scale factor 1, the queries return the published answers
   * of the specification exactly.
   */
  private static final List<Long> ROW_COUNTS =
      List.of(
          4L, 4L, 10L, 5L, 5L, 1L, 4L, 2L, 173L, 20L, 1L, 2L, 33L, 1L, 1L, 296L, 1L, 2L, 1L, 1L, 1L,
          7L);

  @TempDir private static Path directory;

  private static SparkSession spark;
  private static SparkWorkload workload;
  private static QueryDriver driver;

  @BeforeAll
  static void generateTables() throws IOException {
    Path rows = Files.createDirectories(directory.resolve("rows"));
    DriverSettings settings =
        new DriverSettings(
            Workload.TPCH,
            Optional.empty(),
            SCALE,
            directory.resolve("data"),
            rows,
            LocalSpark.conf(directory));
    workload = SparkWorkload.of(Workload.TPCH, Optional.empty());
    spark = SparkSessions.open("tpch-test", settings);
    for (String table : workload.tableNames()) {
      workload.write(spark, table, SCALE, settings.dataDirectory());
    }
    driver = new QueryDriver(spark, workload, settings);
  }

  @AfterAll
  static void stopSpark() {
    if (spark != null) {
      spark.stop();
    }
  }

  @Test
  void generatesTheRowCountsOfTheSpecification() {
    Map<String, Long> counts = new TreeMap<>();
    for (String table : workload.tableNames()) {
      counts.put(table, spark.table(table).count());
    }

    assertThat(counts)
        .isEqualTo(
            Map.of(
                "customer", 1_500L,
                "lineitem", 60_175L,
                "nation", 25L,
                "orders", 15_000L,
                "part", 2_000L,
                "partsupp", 8_000L,
                "region", 5L,
                "supplier", 100L));
  }

  @Test
  void usesTheTypesOfTheSpecification() {
    assertThat(spark.table("lineitem").schema().apply("l_extendedprice").dataType())
        .isEqualTo(DataTypes.createDecimalType(15, 2));
    assertThat(spark.table("lineitem").schema().apply("l_shipdate").dataType())
        .isEqualTo(DataTypes.DateType);
    assertThat(
            spark
                .sql("SELECT min(o_orderdate), max(o_orderdate) FROM orders")
                .first()
                .mkString(" "))
        .isEqualTo("1992-01-01 1998-08-02");
    // The first line of the first order at any scale factor.
    assertThat(
            spark
                .sql(
                    "SELECT l_quantity, l_discount, l_tax, l_shipdate FROM lineitem WHERE "
                        + "l_orderkey = 1 AND l_linenumber = 1")
                .first()
                .mkString(" "))
        .isEqualTo("17.00 0.04 0.02 1996-03-13");
  }

  @Test
  void runsEveryQuery() throws Exception {
    List<Long> rows = new ArrayList<>();
    List<String> notShuffled = new ArrayList<>();
    for (String query : Workload.TPCH.queries()) {
      DriverMessage.Result result = driver.run(query);
      ResultRows saved = ResultRows.read(ResultRows.file(directory.resolve("rows"), query));
      assertThat(saved.digest()).as("digest of query %s", query).isEqualTo(result.digest());
      assertThat(saved.lines()).hasSize((int) result.rows());
      rows.add(result.rows());
      if (result.shuffleWrittenBytes() == 0) {
        notShuffled.add(query);
      }
    }

    assertThat(rows).isEqualTo(ROW_COUNTS);
    assertThat(notShuffled).isEmpty();
  }

  @Test
  void digestIsStableAndChangesWithARow() throws Exception {
    DriverMessage.Result first = driver.run("4");
    DriverMessage.Result second = driver.run("4");
    List<String> lines =
        new ArrayList<>(ResultRows.read(ResultRows.file(directory.resolve("rows"), "4")).lines());
    lines.set(0, lines.get(0) + "0");

    assertThat(second.digest()).isEqualTo(first.digest());
    assertThat(new ResultRows(lines).digest()).isNotEqualTo(first.digest());
  }

  @Test
  void scalesTheFractionOfQueryEleven() throws IOException {
    assertThat(workload.text("11", 1)).contains("* 0.0001000000\n");
    assertThat(workload.text("11", 0.01)).contains("* 0.0100000000\n");
    assertThat(workload.text("11", 100)).contains("* 0.0000010000\n");
  }

  @Test
  void refusesAQueryThatTpchDoesNotHave() {
    assertThatThrownBy(() -> workload.text("23", 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no query 23");
  }
}
