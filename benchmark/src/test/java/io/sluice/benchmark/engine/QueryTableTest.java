package io.sluice.benchmark.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmark.engine.QueryRound.Turn;
import io.sluice.demo.driver.DriverMessage;
import java.util.List;
import org.junit.jupiter.api.Test;

final class QueryTableTest {
  private static final long MIB = 1024 * 1024;

  @Test
  void comparesTotalsOfPassesAndMediansOfQueries() {
    QueryTable table =
        new QueryTable(
            List.of(
                round(0, "1", 1_000, 1_500, "a"),
                round(0, "2", 3_000, 2_500, "b"),
                round(1, "1", 1_000, 1_700, "a"),
                round(1, "2", 3_000, 2_300, "b")),
            "built-in",
            "Sluice");

    assertThat(table.isGood()).isTrue();
    assertThat(table.render().lines())
        .contains(
            "| seconds | 4.0 | 4.0 | 1.000 | 1.000 | 2 |",
            "| CPU seconds | 8.0 | 8.0 | 1.000 | 1.000 | 2 |",
            "| of executors | 4.0 | 4.0 | 1.000 | 1.000 | 2 |",
            "| of the driver | 2.0 | 2.0 | 1.000 | 1.000 | 2 |",
            "| of coordinator and servers | 2.0 | 2.0 | - | - | - |",
            "| pushed, MiB | 0.0 | 10.0 | - | - | - |",
            "Median ratio of a query: 1.20 in time, 1.20 in CPU. Slow queries (above 1.25 times by"
                + " more than 0.3 s): 1.",
            "| 1 | 1.00 | 1.60 | 1.60 | 0.60 | 2.00 | 3.20 | 5.0 |",
            "| 2 | 3.00 | 2.40 | 0.80 | -0.60 | 6.00 | 4.80 | 5.0 |");
  }

  @Test
  void namesQueriesWithDifferentRows() {
    QueryTable table =
        new QueryTable(
            List.of(
                new QueryRound(0, turn("7", 1_000, "a", 0), turn("7", 1_000, "b", MIB)),
                round(0, "8", 1_000, 1_000, "c")),
            "comet",
            "comet+sluice");

    assertThat(table.isGood()).isFalse();
    assertThat(table.render())
        .contains("query 7: rows differ")
        .doesNotContain("query 8: rows differ")
        .contains("| all queries | comet | comet+sluice |")
        .contains("| - | 1 |");
  }

  private static QueryRound round(
      int pass, String query, long baselineMs, long sluiceMs, String digest) {
    return new QueryRound(
        pass, turn(query, baselineMs, digest, 0), turn(query, sluiceMs, digest, 5 * MIB));
  }

  private static Turn turn(String query, long elapsedMs, String digest, long pushed) {
    return new Turn(
        new DriverMessage.Result(query, 10, elapsedMs, digest, 7 * MIB, 7 * MIB),
        new SideCpu(elapsedMs / 2, elapsedMs, elapsedMs / 2),
        pushed,
        pushed);
  }
}
