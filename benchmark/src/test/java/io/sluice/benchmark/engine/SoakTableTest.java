package io.sluice.benchmark.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmark.engine.SoakTable.SoakCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

class SoakTableTest {
  private static final int SAMPLES = 100;
  private static final SoakCounts GOOD = new SoakCounts(SAMPLES, 3, 40, 0, 2, 1 << 20);
  private static final int STEADY_MB = 300;

  private static List<NodeSample> samples(IntToLongFunction megabytes, IntToLongFunction pid) {
    List<NodeSample> samples = new ArrayList<>();
    for (int i = 0; i <= SAMPLES; i++) {
      samples.add(
          new NodeSample(
              "server-1", i, pid.applyAsLong(i), megabytes.applyAsLong(i) << 20, 100, 40, 10, 0));
    }
    return samples;
  }

  @Test
  void memoryThatOnlyGrowsDuringTheWarmUpIsGood() {
    SoakTable table = new SoakTable(GOOD, samples(i -> i < 10 ? i : STEADY_MB, i -> 1), List.of());
    assertThat(table.isGood()).isTrue();
    assertThat(table.render()).contains("| server-1 | resident memory | 300.0 MiB | 300.0 MiB |");
  }

  @Test
  void steadyGrowthIsReported() {
    SoakTable table = new SoakTable(GOOD, samples(i -> STEADY_MB + i * 2L, i -> 1), List.of());
    assertThat(table.isGood()).isFalse();
    assertThat(table.render())
        .contains("grows: server-1 resident memory")
        .doesNotContain("threads\n");
  }

  @Test
  void restartedProcessesAreNotCompared() {
    SoakTable table =
        new SoakTable(GOOD, samples(i -> STEADY_MB + i * 2L, i -> i < 50 ? 1 : 2), List.of());
    assertThat(table.isGood()).isTrue();
  }

  @Test
  void otherRowsAndLeftoversAreNotGood() {
    List<NodeSample> steady = samples(i -> STEADY_MB, i -> 1);
    assertThat(new SoakTable(GOOD, steady, List.of("server-1: bytes=7")).isGood()).isFalse();
    assertThat(new SoakTable(new SoakCounts(1, 1, 4, 1, 0, 0), steady, List.of()).isGood())
        .isFalse();
  }
}
