package io.sluice.benchmark.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmark.load.Benchmarks;
import io.sluice.cli.CliRun;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class QueryBenchCommandTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--queries 23 | --queries",
        "--warm-ups -1 | --warm-ups -1: expected a number of at least 0",
        "--candidate comet+celeborn | --candidate",
        "--baseline comet --baseline-conf a=b | --baseline-conf: --baseline comet does not use",
        "--comet-jar comet.jar | --comet-jar: no side uses Comet",
        "--candidate comet --sluice-conf a=b | --sluice-conf: no side uses Sluice",
        "--candidate comet --server-java-option -Xint | --server-java-option: no side uses Sluice"
      })
  void refusesInvalidOptionsWithOneLine(String arguments, String named) {
    CliRun run = CliRun.of(Benchmarks::commandLine, ("bench queries " + arguments).split(" "));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err().lines().findFirst().orElse("")).contains(named);
  }
}
