package io.sluice.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.demo.driver.DriverMessage;
import io.sluice.demo.driver.ResultRows;
import io.sluice.localcluster.ClusterCounters;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class DemoTableTest {
  private static final long MIB = 1024 * 1024;

  @Test
  void rendersQueriesTotalsAndSummary() {
    DemoTable table =
        new DemoTable(
            "Spark's built-in shuffle",
            List.of(
                comparison(
                    1,
                    4,
                    "a",
                    "a",
                    10_000,
                    10_500,
                    new ClusterCounters(3, 5 * MIB, MIB, 2, 4, 5 * MIB, 0)),
                comparison(
                    16,
                    18314,
                    "b",
                    "b",
                    2_000,
                    1_900,
                    new ClusterCounters(9, 2048, 0, 1, 1, 2048, 2048))));

    assertThat(table.render())
        .isEqualTo(
            """
            query   rows  same?   built-in s  sluice s  ratio   pushed  spilled     read
            -----  -----  ------  ----------  --------  -----  -------  -------  -------
                1      4  yes           10.0      10.5   1.05  5.0 MiB  1.0 MiB  5.0 MiB
               16  18314  yes            2.0       1.9   0.95  2.0 KiB      0 B  2.0 KiB
            -----  -----  ------  ----------  --------  -----  -------  -------  -------
              all  18318  2 of 2        12.0      12.4   1.03  5.0 MiB  1.0 MiB  5.0 MiB

            2 of 2 the same; through Sluice 12.4 s, with Spark's built-in shuffle 12.0 s: 1.03 times
            """);
    assertThat(table.isGood()).isTrue();
  }

  @Test
  void showsTheFirstDifferentRows() {
    DemoTable table =
        new DemoTable(
            "Spark's built-in shuffle",
            List.of(
                comparison(
                    5,
                    1,
                    "INDIA\t12.50",
                    "INDIA\t12.51",
                    1000,
                    1000,
                    new ClusterCounters(1, 1, 0, 1, 1, 1, 1))));

    assertThat(table.render())
        .contains("query 5: 1 rows only with Spark's built-in shuffle, 1 only through Sluice")
        .contains("  built-in: INDIA\t12.50")
        .contains("  sluice:   INDIA\t12.51")
        .contains("0 of 1 the same");
    assertThat(table.isGood()).isFalse();
  }

  @Test
  void failsForAQueryThatBypassedTheServers() {
    DemoTable table =
        new DemoTable(
            "Spark's built-in shuffle",
            List.of(comparison(5, 1, "a", "a", 1000, 1000, ClusterCounters.ZERO)));

    assertThat(table.render())
        .contains("yes, but not through Sluice")
        .contains("shuffled, but the servers received no data: query 5")
        .contains("1 of 1 the same");
    assertThat(table.isGood()).isFalse();
  }

  @Test
  void acceptsQueriesWithoutServerCounters() {
    DemoTable table =
        new DemoTable(
            "Spark's built-in shuffle", List.of(comparison(1, 2, "a", "a", 10, 20, null)));

    assertThat(table.isGood()).isTrue();
    assertThat(table.render()).containsPattern("1 +2 +yes +0.0 +0.0 +2.00 +- +- +-");
  }

  private static QueryComparison comparison(
      int query,
      long rows,
      String builtIn,
      String sluice,
      long builtInMs,
      long sluiceMs,
      ClusterCounters servers) {
    ResultRows builtInRows = new ResultRows(List.of(builtIn));
    ResultRows sluiceRows = new ResultRows(List.of(sluice));
    return new QueryComparison(
        new DriverMessage.Result(
            Integer.toString(query), rows, builtInMs, builtInRows.digest(), MIB, MIB),
        new DriverMessage.Result(
            Integer.toString(query), rows, sluiceMs, sluiceRows.digest(), MIB, MIB),
        RowDifference.between(builtInRows, sluiceRows),
        Optional.ofNullable(servers));
  }
}
