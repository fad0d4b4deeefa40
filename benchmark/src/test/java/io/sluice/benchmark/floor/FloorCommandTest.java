package io.sluice.benchmark.floor;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmark.load.Benchmarks;
import io.sluice.cli.CliRun;
import io.sluice.cli.bench.BenchResult;
import io.sluice.cli.bench.ResultFormat;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(600)
class FloorCommandTest {
  @TempDir Path directory;

  @Test
  @Tag("nightly")
  void measuresEveryOperationOfAllServers() throws Exception {
    Path files = Files.createDirectory(directory.resolve("files"));
    Path json = directory.resolve("floor.json");
    CliRun run =
        CliRun.of(
            Benchmarks::commandLine,
            "bench",
            "floor",
            "--total",
            "32m",
            "--memory",
            "16m",
            "--first",
            "0s",
            "--rounds",
            "2",
            "--directory",
            files.toString(),
            "--json",
            json.toString());

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(files).isEmptyDirectory();
    BenchResult result = ResultFormat.read(json);
    assertThat(result.command()).isEqualTo("floor");
    assertThat(result.options())
        .containsEntry("--total", "32m")
        .doesNotContainKeys("--directory", "--json");
    assertThat(result.tables().get(1).rows()).hasSize(FloorFigure.values().length);
    assertThat(result.tables().get(1).rows())
        .allSatisfy(row -> assertThat((Double) row.get(2)).isNotNegative());
    assertThat(result.notes()).anyMatch(note -> note.startsWith("Cipher: TLS_"));
  }

  @Test
  void refusesBlocksThatDoNotFitAFrame() {
    CliRun run =
        CliRun.of(
            Benchmarks::commandLine, "bench floor --block-size 2m --frame-size 1m".split(" "));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("--block-size of at most --frame-size");
  }
}
