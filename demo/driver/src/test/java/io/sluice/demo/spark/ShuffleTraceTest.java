package io.sluice.demo.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ShuffleTraceTest {
  @TempDir private Path directory;

  /** Two map tasks write the shuffle of the grouping, and three tasks read it. */
  @Test
  void hasALineForEachTaskThatWritesOrReadsAShuffle() {
    StringWriter trace = new StringWriter();
    try (SparkSession spark = LocalSpark.open("trace-test", directory)) {
      spark.sparkContext().addSparkListener(new ShuffleTrace(trace));
      spark.range(0, 1_000, 1, 2).selectExpr("id % 10 AS k").groupBy("k").count().collectAsList();
    }

    List<String> lines = trace.toString().lines().map(ShuffleTraceTest::withoutFigures).toList();
    assertThat(lines)
        .containsExactlyInAnyOrder("write 0 0", "write 0 1", "read 0", "read 0", "read 0");
    assertThat(trace.toString().lines()).allMatch(line -> line.matches("(write|read)( [0-9]+)+"));
  }

  /** A line without the time, and without the bytes. */
  private static String withoutFigures(String line) {
    return line.replaceFirst(line.startsWith("write") ? " [0-9]+ [0-9]+$" : " [0-9]+$", "");
  }
}
