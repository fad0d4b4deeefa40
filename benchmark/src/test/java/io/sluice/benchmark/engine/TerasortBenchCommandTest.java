package io.sluice.benchmark.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmark.load.Benchmarks;
import io.sluice.cli.CliRun;
import io.sluice.demo.staging.TeraRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TerasortBenchCommandTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({
    "--size 5q, --size",
    "--size 1k, --size 1024: expected at least a row of 100 bytes for each of 200 map tasks",
    "--maps 0, --maps",
    "--reduces 0, --reduces",
    "--reduces 100001, --reduces",
    "--rounds 0, --rounds",
    "--containers 0, --containers",
    "--servers 0, --servers",
    "--job-timeout 0, --job-timeout",
    "--size 64m --maps 8, no Hadoop"
  })
  void refusesInvalidOptionsWithOneLine(String arguments, String named) {
    CliRun run = CliRun.of(Benchmarks::commandLine, ("bench mapreduce " + arguments).split(" "));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err().lines().findFirst().orElse("")).contains(named);
  }

  @ParameterizedTest
  @CsvSource({"5368709120,200,8", "67108864,8,8", "67108864,7,7", "67108864,11,1", "12345678,12,6"})
  void filesAndSplitsMatchTheRequestedMapTasks(long bytes, int maps, int files) {
    TerasortBench.Plan plan = plan(bytes, maps);

    assertThat(plan.files()).isEqualTo(files);
    long rowsPerFile = plan.rows() / files;
    for (long rows : new long[] {rowsPerFile, rowsPerFile + 1}) {
      assertThat(splits(rows * TeraRows.ROW_BYTES, plan.splitBytes()) * files).isEqualTo(maps);
    }
  }

  @Test
  void existingRowsNeedNoDiskSpace() throws IOException {
    TerasortBench.Plan plan = plan(1_000_000, 2);
    assertThat(plan.diskBytes(directory)).isEqualTo(4_000_000);

    Files.createDirectories(TeraRows.directory(directory, 10_000, 2));
    assertThat(plan.diskBytes(directory)).isEqualTo(3_000_000);
  }

  /** Number of splits that Hadoop makes of a file. */
  private static int splits(long bytes, long splitBytes) {
    int splits = 0;
    long left = bytes;
    while ((double) left / splitBytes > 1.1) {
      left -= splitBytes;
      splits++;
    }
    return left > 0 ? splits + 1 : splits;
  }

  @Test
  void addsTaskOptionsAfterTheHeapAndLetsConfigurationOverride() {
    Map<String, String> settings = plan(1 << 20, 2).settings();

    assertThat(settings)
        .containsEntry("mapreduce.map.java.opts", "-Xmx800m -Da -Db")
        .containsEntry("mapreduce.reduce.java.opts", "-Xmx800m -Da -Db")
        .containsEntry("mapreduce.task.io.sort.mb", "50");
  }

  private static TerasortBench.Plan plan(long bytes, int maps) {
    return new TerasortBench.Plan(
        bytes,
        maps,
        4,
        2,
        List.of("-Da", "-Db"),
        new BenchPlan(
            1,
            new SluiceSide(2, "64MiB", Map.of(), Map.of(), List.of()),
            Duration.ofMinutes(1),
            Map.of("mapreduce.task.io.sort.mb", "50"),
            false));
  }
}
