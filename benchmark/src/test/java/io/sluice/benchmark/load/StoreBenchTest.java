package io.sluice.benchmark.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmark.load.MetadataBench.Cost;
import io.sluice.cli.CliRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreBenchTest {
  @TempDir Path directory;

  @Test
  void metadataCountsEveryKindOfThing() throws Exception {
    List<Cost> costs = new MetadataBench(20, 2_000, 200).costs();
    assertThat(costs).extracting(Cost::what).doesNotHaveDuplicates().hasSize(10);
    assertThat(costs).allSatisfy(cost -> assertThat(cost.count()).isPositive());
    Cost partition =
        costs.stream().filter(cost -> cost.what().startsWith("partition")).findFirst().get();
    assertThat(partition.each()).as("bytes, noise of the JVM included").isGreaterThan(50);
  }

  @Test
  void metadataRefusesSizesThatShowNothing() {
    CliRun run = CliRun.of(Benchmarks::commandLine, "bench", "metadata", "--partitions", "10");
    assertThat(run.exitCode()).isNotZero();
    assertThat(run.err()).contains("at least 1 shuffle, 100 partitions and 100 attempts");
  }

  @Test
  void deleteRemovesEveryFileThatItMade() throws IOException {
    CliRun run =
        CliRun.of(
            Benchmarks::commandLine,
            "bench",
            "delete",
            "--directory",
            directory.toString(),
            "--partitions",
            "100",
            "--size",
            "40m",
            "--run-size",
            "4m",
            "--written",
            "4m");
    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("10 of 4.0 MiB").contains("until the last file is gone");
    try (Stream<Path> files = Files.walk(directory)) {
      assertThat(files).noneMatch(path -> path.toString().endsWith(".run"));
    }
  }
}
