package io.sluice.benchmark.scale;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmark.load.Benchmarks;
import io.sluice.cli.CliRun;
import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.ResultFormat;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(600)
class ScaleCommandTest {
  @TempDir Path directory;

  @Test
  void measuresEveryCallOfAllServersAndApplications() throws Exception {
    Path files = Files.createDirectory(directory.resolve("files"));
    Path json = directory.resolve("scale.json");
    CliRun run =
        CliRun.of(
            Benchmarks::commandLine,
            "bench",
            "scale",
            "--servers",
            "20",
            "--applications",
            "50",
            "--partitions",
            "30",
            "--connections",
            "4",
            "--directory",
            files.toString(),
            "--json",
            json.toString());

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(files).isEmptyDirectory();
    List<BenchTable> tables = ResultFormat.read(json).tables();
    assertThat(tables.get(0).rows())
        .extracting(row -> row.get(0) + " " + row.get(1))
        .containsExactly(
            "first heartbeat 20.0",
            "register an application 50.0",
            "assign a shuffle 50.0",
            "renew a lease 50.0",
            "heartbeat, without pause 100.0",
            "unregister an application 50.0");
    // Nine servers of each shuffle, 50 shuffles, 20 servers.
    assertThat(run.out()).contains("Heartbeats list 22.5 applications on average.");
    assertThat(tables.get(1).rows()).hasSize(4);
  }

  @Test
  void refusesAClusterWithoutServers() {
    CliRun run = CliRun.of(Benchmarks::commandLine, "bench", "scale", "--servers", "0");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("expected --servers");
  }
}
