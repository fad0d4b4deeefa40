package io.sluice.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.CliRun;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class BenchmarksTest {
  @Test
  void benchHasTheShippedCommandsAndEveryBenchmarkWithHelp() {
    Set<String> names =
        Benchmarks.commandLine(
                new PrintWriter(new StringWriter()), new PrintWriter(new StringWriter()))
            .getSubcommands()
            .get("bench")
            .getSubcommands()
            .keySet();

    assertThat(names)
        .containsExactlyInAnyOrder(
            "push",
            "fetch",
            "read",
            "huge",
            "security",
            "metadata",
            "delete",
            "merge",
            "spark",
            "mapreduce");
    for (String name : names) {
      CliRun help = CliRun.of(Benchmarks::commandLine, "bench", name, "--help");
      assertThat(help.exitCode()).as(name).isZero();
      assertThat(help.out()).as(name).startsWith("Usage: sluice bench " + name);
    }
  }
}
