package io.sluice.demo.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.Iterators;
import io.sluice.demo.driver.Workload;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the tables of TPC-DS, and that Spark can analyze all queries. */
final class TpcdsTest {
  private static final double SCALE = 0.01;

  private final TpcdsTables tables = new TpcdsTables();
  private final SparkWorkload workload =
      SparkWorkload.of(
          Workload.TPCDS,
          Optional.of(
              Path.of(
                  System.getProperty("basedir"), "../target/tpcds-queries/spark-sql-tests.jar")));

  @Test
  void generatesTheRowCountsOfTheScaleFactor() {
    assertThat(tables.names()).hasSize(24);
    assertThat(rowCount("date_dim", SCALE)).isEqualTo(73_049);
    assertThat(rowCount("store", 1)).isEqualTo(12);
    assertThat(rowCount("item", 1)).isEqualTo(18_000);
    assertThat(rowCount("customer", SCALE)).isEqualTo(1_000);
    // The smallest number of orders is 10,000 in stores; each has 8 to 16 items, a tenth is
    // returned.
    assertThat(rowCount("store_sales", SCALE)).isBetween(80_000L, 160_000L);
    assertThat(rowCount("store_returns", SCALE)).isBetween(8_000L, 16_000L);
  }

  @Test
  void partsTogetherContainTheTable() {
    assertThat(tables.parts("store_sales", 1)).isEqualTo(1);
    assertThat(tables.parts("customer_demographics", SCALE)).isEqualTo(38);
    Row last = Iterators.getLast(tables.rows("customer_demographics", SCALE, 1, 38));
    Row next = tables.rows("customer_demographics", SCALE, 2, 38).next();

    assertThat(next.getLong(0)).isEqualTo(last.getLong(0) + 1);
    assertThat(Iterators.getLast(tables.rows("customer_demographics", SCALE, 38, 38)).getLong(0))
        .isEqualTo(1_920_800);
  }

  @Test
  void usesTheTypesOfTheSpecification() {
    assertThat(tables.schema("store_sales").apply("ss_list_price").dataType())
        .isEqualTo(DataTypes.createDecimalType(7, 2));
    assertThat(tables.schema("store_sales").apply("ss_ticket_number").dataType())
        .isEqualTo(DataTypes.LongType);
    Row store = tables.rows("store", 1, 1, 1).next();
    assertThat(store.<LocalDate>getAs(tables.schema("store").fieldIndex("s_rec_start_date")))
        .isEqualTo("1997-03-13");
    assertThat(store.<BigDecimal>getAs(tables.schema("store").fieldIndex("s_gmt_offset")))
        .isEqualByComparingTo("-5.00");
    assertThat(store.isNullAt(tables.schema("store").fieldIndex("s_rec_end_date"))).isTrue();
  }

  @Test
  void sparkAnalyzesEveryQuery(@TempDir Path directory) throws IOException {
    for (String table : tables.names()) {
      Files.createDirectories(directory.resolve("data").resolve(table));
    }
    try (SparkSession spark = LocalSpark.open("tpcds-test", directory)) {
      workload.open(spark, directory.resolve("data"));
      for (String query : Workload.TPCDS.queries()) {
        String text = workload.text(query, SCALE);
        assertThatCode(() -> spark.sql(text)).as(query).doesNotThrowAnyException();
      }
      List<Row> none = spark.sql(workload.warmUp()).collectAsList();
      assertThat(none).isEmpty();
    }
  }

  @Test
  void refusesAQueryThatTpcdsDoesNotHave() {
    assertThatThrownBy(() -> workload.text("14", SCALE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no query 14 of TPC-DS");
  }

  private long rowCount(String table, double scale) {
    int parts = tables.parts(table, scale);
    long count = 0;
    for (int part = 1; part <= parts; part++) {
      count += Iterators.size(tables.rows(table, scale, part, parts));
    }
    return count;
  }
}
