package io.sluice.benchmark.published;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmark.load.Benchmarks;
import io.sluice.cli.CliRun;
import io.sluice.cli.bench.BenchResult;
import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.ResultFormat;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Each experiment with real processes and little data. */
@Tag("nightly")
@Timeout(600)
class PublishedCommandsTest {
  @TempDir Path directory;
  private Path files;
  private Path json;

  @BeforeEach
  void createDirectory() throws Exception {
    // Too long for the default path of the socket for short-circuit reads.
    files = Files.createDirectory(directory.resolve("longer-name"));
    json = directory.resolve("result.json");
  }

  private CliRun run(String command) {
    List<String> arguments = new ArrayList<>(List.of(command.split(" ")));
    arguments.addAll(List.of("--directory", files.toString(), "--json", json.toString()));
    return CliRun.of(Benchmarks::commandLine, arguments.toArray(String[]::new));
  }

  private List<BenchTable> tables(CliRun run) throws Exception {
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(files).isEmptyDirectory();
    BenchResult result = ResultFormat.read(json);
    return result.tables();
  }

  @Test
  void magnetHasARowForEachBlockSize() throws Exception {
    List<BenchTable> tables =
        tables(
            run(
                "bench magnet --block-sizes 1k,10k --connections 20 --total 2m --memory 16m"
                    + " --heap 64m --max-rest 4g --rounds 1"));

    assertThat(tables)
        .extracting(BenchTable::name)
        .containsExactly("magnet-push", "magnet-fetch", "magnet-memory");
    for (BenchTable table : tables) {
      assertThat(table.rows()).extracting(row -> row.get(0)).containsExactly("1.0 KiB", "10.0 KiB");
    }
    BenchTable memory = tables.get(2);
    assertThat(memory.rows())
        .allSatisfy(
            row -> {
              assertThat((Double) row.get(1)).isGreaterThan(64);
              assertThat(row.subList(2, 4)).containsExactly(16.0, 64.0);
              assertThat((Double) row.get(memory.column("limit MiB"))).isEqualTo(16 + 64 + 4096);
            });
  }

  @Test
  void magnetFailsIfTheServerHasMoreMemoryThanAllowed() {
    CliRun run =
        run(
            "bench magnet --block-sizes 10k --connections 2 --total 1m --memory 16m --heap 64m"
                + " --max-rest 1m --rounds 1");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("resident memory besides buffer and heap exceeds --max-rest");
    assertThat(json).exists();
  }

  @Test
  void nettyReportHasARowForEachNumberOfTasksAndTransport() throws Exception {
    List<BenchTable> tables =
        tables(
            run(
                "bench netty-report --tasks 6 --processes 2 --task-size 64k --memory 16m"
                    + " --rounds 1"));

    BenchTable table = tables.get(0);
    assertThat(table.rows())
        .extracting(row -> row.get(0) + " " + row.get(1))
        .containsExactly("6 GRPC", "6 GRPC_NETTY");
    int saved = table.column("less than gRPC, %");
    assertThat(table.rows()).extracting(row -> row.get(saved) == null).containsExactly(true, false);
  }

  @Test
  void readLengthComparesBothMethodsForEachLength() throws Exception {
    List<BenchTable> tables =
        tables(
            run(
                "bench read-length --lengths 16k,256k --total 40m --partitions 4 --memory 16m"
                    + " --rounds 1 --prepare true"));

    BenchTable table = tables.get(0);
    assertThat(table.rows())
        .extracting(row -> row.get(0) + " " + row.get(1))
        .containsExactly(
            "16.0 KiB fetch", "16.0 KiB short circuit", "256 KiB fetch", "256 KiB short circuit");
    int fetches = table.column("fetches");
    int direct = table.column("from files, MiB");
    // Short reads need more requests.
    assertThat((Double) table.rows().get(0).get(fetches))
        .isGreaterThan(2 * (Double) table.rows().get(2).get(fetches));
    assertThat((Double) table.rows().get(0).get(direct)).isZero();
    assertThat((Double) table.rows().get(1).get(direct)).isPositive();
    int deserialization = table.column("deserialization, % of time");
    assertThat(table.rows())
        .allSatisfy(row -> assertThat((Double) row.get(deserialization)).isBetween(0.01, 99.0));
  }

  @Test
  void refusesWrongOptionsWithOneLine() {
    assertThat(run("bench netty-report --tasks 3 --processes 4").err())
        .contains("--tasks must be at least --processes");
    assertThat(run("bench netty-report --tasks 2501 --processes 1").err())
        .contains("--tasks must be at most 2500 for each of --processes");
    assertThat(run("bench magnet --block-sizes 10k,9m").err())
        .contains("--block-sizes must be 1 to 8m");
    assertThat(run("bench read-length --lengths 1k").err()).contains("--lengths must be 4k to 16m");
    assertThat(files).isEmptyDirectory();
  }
}
