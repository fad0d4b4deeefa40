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
  void metadataMeasuresEveryKindOfObject() throws Exception {
    List<Cost> costs = new MetadataBench(20, 2_000, 200).costs();
    assertThat(costs).extracting(Cost::kind).doesNotHaveDuplicates().hasSize(10);
    assertThat(costs).allSatisfy(cost -> assertThat(cost.count()).isPositive());
    Cost partition =
        costs.stream().filter(cost -> cost.kind().startsWith("partition")).findFirst().get();
    assertThat(partition.each()).as("bytes, noise of the JVM included").isGreaterThan(50);
  }

  @Test
  void metadataRefusesSizesThatAreTooSmall() {
    CliRun run = CliRun.of(Benchmarks::commandLine, "bench", "metadata", "--partitions", "10");
    assertThat(run.exitCode()).isNotZero();
    assertThat(run.err())
        .contains("--shuffles of at least 1, --partitions and --attempts of at least 100");
  }

  @Test
  void deleteRemovesAllFilesThatItCreated() throws IOException {
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
    assertThat(run.out())
        .contains("40.0 MiB in files of 4.0 MiB")
        .contains("until the last file is deleted");
    try (Stream<Path> files = Files.walk(directory)) {
      assertThat(files).noneMatch(path -> path.toString().endsWith(".run"));
    }
  }
}
