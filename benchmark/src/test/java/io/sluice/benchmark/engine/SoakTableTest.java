package io.sluice.benchmark.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmark.engine.SoakTable.SoakCounts;
import io.sluice.cli.bench.BenchTable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

class SoakTableTest {
  private static final int SAMPLES = 100;
  private static final int SECONDS = SAMPLES * 60;
  private static final SoakCounts GOOD = new SoakCounts(SECONDS, 3, 40, 0, 2, 1 << 20);
  private static final int STEADY_MB = 300;

  /** A sample each minute. */
  private static List<NodeSample> samples(IntToLongFunction megabytes, IntToLongFunction pid) {
    List<NodeSample> samples = new ArrayList<>();
    for (int i = 0; i <= SAMPLES; i++) {
      samples.add(
          new NodeSample(
              "server-1",
              i * 60L,
              pid.applyAsLong(i),
              megabytes.applyAsLong(i) << 20,
              100,
              40,
              10,
              0,
              0));
    }
    return samples;
  }

  @Test
  void memoryThatOnlyGrowsDuringTheWarmUpIsGood() {
    SoakTable table = new SoakTable(GOOD, samples(i -> i < 10 ? i : STEADY_MB, i -> 1), List.of());
    assertThat(table.isGood()).isTrue();
    assertThat(table.render())
        .contains("| server-1 | resident memory, MiB | 300.0 | 300.0 | 1.00 | 300.0 |");
  }

  @Test
  void steadyGrowthIsReported() {
    SoakTable table = new SoakTable(GOOD, samples(i -> STEADY_MB + i * 2L, i -> 1), List.of());
    assertThat(table.isGood()).isFalse();
    assertThat(table.render())
        .contains("grows: server-1 resident memory, MiB\n")
        .doesNotContain("threads\n");
  }

  @Test
  void growthOfAShortRunIsReportedButNoFailure() {
    SoakCounts counts = new SoakCounts(SoakTable.MIN_MINUTES * 60L - 1, 1, 4, 0, 0, 0);
    SoakTable table = new SoakTable(counts, samples(i -> STEADY_MB + i * 2L, i -> 1), List.of());
    assertThat(table.isGood()).isTrue();
    assertThat(table.remarks())
        .contains("grows: server-1 resident memory, MiB\n")
        .contains("less than 30 minutes");
  }

  @Test
  void restartedProcessesAreNotComparedButDrawn() {
    SoakTable table =
        new SoakTable(GOOD, samples(i -> STEADY_MB + i * 2L, i -> i < 50 ? 1 : 2), List.of());
    assertThat(table.isGood()).isTrue();
    assertThat(table.tables().get(0).rows()).isEmpty();
    assertThat(table.tables().get(1).rows()).isNotEmpty();
  }

  @Test
  void otherRowsAndLeftoversAreNotGood() {
    List<NodeSample> steady = samples(i -> STEADY_MB, i -> 1);
    assertThat(new SoakTable(GOOD, steady, List.of("server-1: bytes=7")).isGood()).isFalse();
    assertThat(new SoakTable(new SoakCounts(1, 1, 4, 1, 0, 0), steady, List.of()).isGood())
        .isFalse();
  }

  @Test
  void drawsALineForEachQuantity() {
    BenchTable course =
        new SoakTable(GOOD, samples(i -> STEADY_MB + i, i -> 1), List.of()).tables().get(1);
    assertThat(course.charts()).hasSize(6);
    assertThat(course.rows()).hasSize(16);
    // The first part has the samples of the minutes 0 to 6.
    assertThat(course.rows().get(0)).startsWith(6.25, "server-1", 303.0);
  }
}
