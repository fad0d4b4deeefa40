package io.sluice.benchmark.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmark.load.StartTable.Round;
import io.sluice.cli.CliRun;
import java.util.List;
import org.junit.jupiter.api.Test;

class StartCommandTest {
  @Test
  void needsAnArchive() {
    CliRun run = CliRun.of(Benchmarks::commandLine, "bench", "start", "--rounds", "1");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .contains("the installation has no class data archive; run sluice archive");
  }

  @Test
  void theTableHasMediansAndTheirRatio() {
    Round without = new Round(4, 3, 1, 2, 1, 1, 300L << 20);
    Round with = new Round(2, 1.5, 1, 1, 0.5, 0.5, 270L << 20);

    assertThat(StartTable.of(List.of(without), List.of(with)).rows())
        .contains(List.of("start of coordinator and server, s", 4.0, 2.0, 0.5))
        .contains(List.of("start, push and fetch, server CPU s", 6.0, 3.0, 0.5))
        .contains(List.of("resident memory of the server, MiB", 300.0, 270.0, 0.9));
  }
}
