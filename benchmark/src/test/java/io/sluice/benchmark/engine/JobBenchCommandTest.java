package io.sluice.benchmark.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmark.load.Benchmarks;
import io.sluice.cli.CliRun;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class JobBenchCommandTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--jobs none | --jobs none: expected some of repartition,self-join,sort,scan,small-steps,stress",
        "--jobs sort,stress | --jobs sort,stress: stress reads other data, run it alone",
        "--partitions 0 | --partitions",
        "--codecs gzip | --codecs gzip: expected one of [lz4, zstd, snappy, none]",
        "--warm-ups -1 | --warm-ups -1: expected a number of at least 0",
        "--executors 0 | --executors"
      })
  void refusesInvalidOptionsWithOneLine(String arguments, String named) {
    CliRun run = CliRun.of(Benchmarks::commandLine, ("bench spark " + arguments).split(" "));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err().lines().findFirst().orElse("")).contains(named);
  }
}
