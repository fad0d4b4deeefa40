package io.sluice.benchmark.load;

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
            "floor",
            "magnet",
            "netty-report",
            "read-length",
            "scale",
            "report",
            "start",
            "class-list",
            "huge",
            "security",
            "metadata",
            "delete",
            "merge",
            "spark",
            "soak",
            "queries",
            "session",
            "rows",
            "mapreduce",
            "jmh");
    for (String name : names) {
      CliRun help = CliRun.of(Benchmarks::commandLine, "bench", name, "--help");
      assertThat(help.exitCode()).as(name).isZero();
      assertThat(help.out()).as(name).startsWith("Usage: sluice bench " + name);
    }
  }

  @Test
  void microbenchmarksRunWithOptionsOfJmh() {
    CliRun run =
        CliRun.of(
            Benchmarks::commandLine, "bench jmh -f 0 -wi 0 -i 1 -r 10ms -foe true".split(" "));

    assertThat(run.exitCode()).as(run.err()).isZero();
  }

  @Test
  void refusesOptionsThatJmhDoesNotKnow() {
    CliRun run = CliRun.of(Benchmarks::commandLine, "bench", "jmh", "-i", "many");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).startsWith("sluice bench jmh: ");
  }
}
