package io.sluice.benchmark.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.bench.BenchTable;
import io.sluice.demo.driver.DriverMessage.JobDone;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobTableTest {
  private static final long MIB = 1 << 20;

  private static SideRun side(String name, String digest, long cpuMs, long elapsedMs) {
    return new SideRun(
        name,
        new JobDone("sort", 200, digest, elapsedMs, 10 * MIB, 20 * MIB, cpuMs / 2, cpuMs / 4),
        new SideCpu(100, cpuMs - 300, 200),
        new SideRun.Resident(300 * MIB, 400 * MIB));
  }

  private static JobRound round(String digestOfPeer) {
    return new JobRound(
        "lz4", List.of(builtIn(), sluice(), side("other", digestOfPeer, 1_500, 3_000)));
  }

  private static SideRun builtIn() {
    return side("built-in", "d", 1_000, 2_000);
  }

  private static SideRun sluice() {
    return side("sluice", "d", 900, 1_000);
  }

  @Test
  void namesTablesWithPeersDifferently() {
    JobRound without = new JobRound("lz4", List.of(builtIn(), sluice()));

    assertThat(new JobTable(List.of(without)).tables())
        .extracting(BenchTable::name)
        .containsExactly("spark", "spark-stages", "spark-bytes");
    assertThat(new JobTable(List.of(round("d"))).tables())
        .extracting(BenchTable::name)
        .containsExactly("peers", "peers-stages", "peers-bytes");
  }

  @Test
  void hasARowForEachSide() {
    JobTable table = new JobTable(List.of(round("d")));

    assertThat(table.isGood()).isTrue();
    assertThat(table.remarks()).isEmpty();
    BenchTable costs = table.tables().get(0);
    assertThat(costs.rows())
        .extracting(row -> row.get(3))
        .containsExactly("built-in", "sluice", "other");
    assertThat(costs.rows().get(1).get(costs.column("CPU, times built-in"))).isEqualTo(0.9);
    List<List<Object>> ofPeer = table.tables().stream().map(one -> one.rows().get(2)).toList();
    assertThat(ofPeer)
        .containsExactly(
            List.of("sort", "lz4", 200, "other", 1.5, 1.2, 0.1, 0.2, 1.5, 1.5, 1.5, 3.0, 1.5),
            List.of("sort", "lz4", 200, "other", 0.75, 1.5, 0.375, 1.5),
            List.of("sort", "lz4", 200, "other", 10.0, 20.0, 300.0, 400.0));
  }

  @Test
  void reportsOtherRowsOfAPeer() {
    JobTable table = new JobTable(List.of(round("e")));

    assertThat(table.isGood()).isFalse();
    assertThat(table.remarks())
        .isEqualTo("sort, lz4, 200 partitions: rows differ: built-in d, sluice d, other e\n");
  }
}
