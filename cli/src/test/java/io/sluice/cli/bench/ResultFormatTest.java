package io.sluice.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.CliRun;
import io.sluice.cli.SluiceCommand;
import io.sluice.cli.bench.BenchTable.Chart;
import io.sluice.cli.bench.BenchTable.Column;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResultFormatTest {
  @TempDir Path directory;

  private static BenchResult result() {
    BenchTable table =
        new BenchTable("push", "Pushes", Column.text("block"), Column.number("GiB/s", 2))
            .row("10 KiB", 1.25)
            .row("100 KiB", null);
    table.chart(new Chart("Throughput", "GiB/s", Chart.Kind.LINES, "block", "", List.of("GiB/s")));
    return new BenchResult(
        "magnet",
        Map.of("--rounds", "5"),
        "2026-11-25",
        Map.of("sluice", "1.0"),
        Map.of("processors", "2"),
        List.of(table),
        List.of("medians of 5 rounds"));
  }

  @Test
  void readsTheResultsThatItWrote() throws IOException {
    Path file = directory.resolve("magnet.json");
    ResultFormat.write(file, result());

    BenchResult read = ResultFormat.read(file);

    assertThat(ResultFormat.toJson(read)).isEqualTo(Files.readString(file));
    assertThat(read).usingRecursiveComparison().ignoringFields("tables").isEqualTo(result());
    BenchTable table = read.tables().get(0);
    assertThat(table.rows()).isEqualTo(result().tables().get(0).rows());
    assertThat(table.charts()).isEqualTo(result().tables().get(0).charts());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "nothing; not JSON: ",
        "{}; expected format 1, found 0",
        "{\"format\": 2}; expected format 1, found 2",
        "{\"format\": 1}; field \"tables\" is not an array",
        "{\"format\": 1, \"tables\": [{}]}; field \"columns\" is not an array",
        "{\"format\": 1, \"tables\": []}; field \"command\" is not a text",
      })
  void refusesOtherFilesWithOneLine(String text, String problem) throws IOException {
    Path file = Files.writeString(directory.resolve("other.json"), text);

    assertThatThrownBy(() -> ResultFormat.read(file))
        .isInstanceOf(IOException.class)
        .message()
        .startsWith(file + ": ")
        .contains(problem)
        .doesNotContain("\n");
  }

  @Test
  void refusesATableWhoseRowsDoNotFit() throws IOException {
    Path file = directory.resolve("damaged.json");
    Files.writeString(file, ResultFormat.toJson(result()).replace("1.25", "\"fast\""));

    assertThatThrownBy(() -> ResultFormat.read(file))
        .hasMessageContaining("column \"GiB/s\": expected a finite number, found fast");
  }

  @Test
  void aBenchmarkRefusesAFileInADirectoryThatDoesNotExist() {
    CliRun run =
        CliRun.of(
            SluiceCommand::commandLine,
            "bench",
            "push",
            "--coordinator",
            "127.0.0.1:1",
            "--json",
            directory.resolve("none/push.json").toString());

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("expected a file in an existing directory");
  }
}
