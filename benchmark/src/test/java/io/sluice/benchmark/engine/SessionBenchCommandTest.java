package io.sluice.benchmark.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmark.load.Benchmarks;
import io.sluice.cli.CliRun;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SessionBenchCommandTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--queries 100 | --queries 100: expected numbers from 1 to 99",
        "--scale 0 | --scale 0.0: expected a number above 0",
        "--query-timeout 0 | --query-timeout 0: expected a number of at least 1",
        "--cleanup-conf a | --cleanup-conf"
      })
  void refusesInvalidOptionsWithOneLine(String arguments, String named) {
    CliRun run = CliRun.of(Benchmarks::commandLine, ("bench session " + arguments).split(" "));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err().lines().findFirst().orElse("")).contains(named);
  }
}
