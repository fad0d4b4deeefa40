package io.sluice.localcluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class HadoopOutputTest {
  @Test
  void findsTheProgressOfTheLastJob() {
    assertThat(HadoopProgram.progressIn("starting\n")).isEmpty();
    assertThat(
            HadoopProgram.progressIn(
                """
                2026-01-01 00:00:01 INFO Job:  map 100% reduce 100%
                2026-01-01 00:00:02 INFO Job:  map 0% reduce 0%
                2026-01-01 00:00:03 INFO Job:  map 50% reduce 7%
                2026-01-01 00:00:03 INFO something else
                """))
        .contains("map 50% reduce 7%");
  }

  @Test
  void readsCpuTimeOfProcessAndChildrenWithAnyProcessName() {
    YarnCpu cpu =
        YarnCpu.parse(
            "4711 (a) S (b) S 1 4711 4711 0 -1 4194560 9 8 7 6 120 30 4000 500 20 0 55 0 99");

    assertThat(cpu).isEqualTo(new YarnCpu(1_500, 45_000));
    assertThat(cpu.since(new YarnCpu(500, 40_000))).isEqualTo(new YarnCpu(1_000, 5_000));
    assertThat(cpu.totalMs()).isEqualTo(46_500);
  }

  @Test
  void readsApplicationsAndCountersFromHadoopOutput() {
    ProgramOutcome outcome =
        ProgramOutcome.of(
            0,
            """
            INFO YarnClientImpl: Submitted application application_1700000000000_0001
            INFO mapreduce.Job: Counters: 54
            \tMap-Reduce Framework
            \t\tMap input records=1000
            \torg.apache.hadoop.examples.terasort.TeraGen$Counters
            \t\tCHECKSUM=2147523228284173905
            """);

    assertThat(outcome.applications()).containsExactly("application_1700000000000_0001");
    assertThat(outcome.counter("Map input records")).isEqualTo(1000);
    assertThat(Long.toHexString(outcome.counter("CHECKSUM"))).isEqualTo("1dcd88ff80c73e51");
  }
}
