package io.sluice.benchmark.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmark.engine.SessionTable.QueryRun;
import io.sluice.benchmark.engine.SessionTable.Session;
import io.sluice.cli.bench.BenchTable;
import io.sluice.demo.driver.DriverMessage;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class SessionTableTest {
  private static final long MIB = 1024 * 1024;

  /** A session of two queries that needs 8 MiB at most, in the second one. */
  private static Session session(long peakStored, String digest) {
    return new Session(
        List.of(run("1", 0, 100, "a"), run("2", 100, 200, digest)),
        StepCurve.ofValues(Map.of(10L, 3 * MIB, 150L, peakStored, 190L, 2 * MIB)),
        NeededBytes.of(
            Stream.of(
                "write 0 0 10 " + 2 * MIB, "read 0 90", "write 1 0 120 " + 8 * MIB, "read 1 180")));
  }

  private static QueryRun run(String query, long begin, long end, String digest) {
    return new QueryRun(new DriverMessage.Result(query, 1, end - begin, digest, 1, 1), begin, end);
  }

  @Test
  void comparesPeaks() {
    SessionTable table = new SessionTable(session(40 * MIB, "b"), session(10 * MIB, "b"));

    assertThat(table.isGood()).isTrue();
    assertThat(table.render().lines())
        .contains(
            "| as in Spark | 40.0 | 8.0 | 5.00 | 8.0 | 10 | 0 | 0 |",
            "| early | 10.0 | 8.0 | 1.25 | 8.0 | 10 | 0 | 0 |",
            "2 queries, 0 with other rows. Early deletion stores 75 % less at the peak.");
  }

  @Test
  void drawsTheHighestBytesOfEachQuery() {
    BenchTable course =
        new SessionTable(session(40 * MIB, "b"), session(10 * MIB, "b")).tables().get(1);

    assertThat(course.rows())
        .containsExactly(List.of("1", 3.0, 3.0, 2.0), List.of("2", 40.0, 10.0, 8.0));
    assertThat(course.charts()).hasSize(1);
  }

  @Test
  void namesQueriesWithOtherRows() {
    SessionTable table = new SessionTable(session(40 * MIB, "b"), session(10 * MIB, "c"));

    assertThat(table.isGood()).isFalse();
    assertThat(table.render()).contains("1 with other rows").contains("query 2: rows differ");
  }

  @Test
  void aSessionWithoutStoredBytesIsNotGood() {
    assertThat(new SessionTable(session(40 * MIB, "b"), empty()).isGood()).isFalse();
  }

  private static Session empty() {
    return new Session(
        session(1, "b").runs(), StepCurve.ofValues(Map.of()), NeededBytes.of(Stream.of()));
  }
}
