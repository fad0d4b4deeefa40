package io.sluice.benchmark.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.demo.ComparedResults;
import io.sluice.demo.JobOutput;
import io.sluice.demo.ProgramComparison;
import io.sluice.demo.ProgramTurn;
import io.sluice.demo.staging.ProgramRun;
import io.sluice.localcluster.ClusterCounters;
import io.sluice.localcluster.ProgramOutcome;
import io.sluice.localcluster.YarnCpu;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class TerasortTableTest {
  private static final long MIB = 1024 * 1024;

  @Test
  void rendersMediansOfTheRatiosOfRounds() {
    List<TerasortRound> rounds =
        List.of(
            round(100_000, 120_000, 10_000),
            round(100_000, 100_000, 10_000),
            round(200_000, 150_000, 10_000));

    TerasortTable table = new TerasortTable(64 * MIB, 8, 4, rounds);

    assertThat(table.render().lines().skip(2))
        .containsExactly(
            "| 64 | 8 | 4 | 105.0 | 100.0 | 5.0 | 135.0 | 120.0 | 5.0 | 10.0 | 1.10 | 0.80 | 1.29 |"
                + " 10.0 | 11.0 | 1.10 | 1.10 | 1.10 | 0.0 | 5.0 | 1.0 | 5.0 |");
    assertThat(table.isGood()).isTrue();
  }

  private static TerasortRound round(
      long builtInContainersMs, long sluiceContainersMs, long serversMs) {
    return new TerasortRound(
        ProgramComparison.of(
            "terasort", new ComparedResults<>(turn(10_000), turn(11_000)), List.of()),
        new YarnCpu(5_000, builtInContainersMs),
        new YarnCpu(5_000, sluiceContainersMs),
        serversMs);
  }

  private static ProgramTurn turn(long elapsedMs) {
    Map<String, Long> counters =
        Map.of("Map input records", 1L, "Reduce shuffle bytes", 7L, "SERVER_BYTES", 7L);
    return new ProgramTurn(
        new ProgramRun(
            elapsedMs, new ProgramOutcome(0, "", List.of("application_1_1"), List.of(counters))),
        new JobOutput(new TreeMap<>(Map.of("part-r-00000", new JobOutput.Part(2, "ab")))),
        new ClusterCounters(3, 5 * MIB, MIB, 2, 4, 5 * MIB, 0));
  }
}
