package io.sluice.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmark.load.Benchmarks;
import io.sluice.cli.CliRun;
import io.sluice.cli.bench.BenchResult;
import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Chart;
import io.sluice.cli.bench.BenchTable.Column;
import io.sluice.cli.bench.ResultFormat;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.w3c.dom.Document;

class ReportCommandTest {
  @TempDir Path directory;

  private static BenchTable table(Chart.Kind kind) {
    BenchTable table =
        new BenchTable(
            "reads",
            "Reads <by length>",
            Column.text("length"),
            Column.text("method"),
            Column.number("GiB/s", 2));
    table.row("16k", "fetch", 0.5).row("16k", "a & b", 1.0).row("1m", "fetch", 2.0);
    return table.chart(
        new Chart("Throughput", "GiB/s", kind, "length", "method", List.of("GiB/s")));
  }

  private static BenchResult result(String date, BenchTable table) {
    return new BenchResult(
        "read-length",
        Map.of("--rounds", "3"),
        date,
        Map.of("sluice", "1.0"),
        Map.of("processors", "2", "load at the end", "0.4"),
        List.of(table),
        List.of("Medians of 3 rounds."));
  }

  private CliRun report(String... options) {
    return CliRun.of(
        Benchmarks::commandLine,
        Stream.concat(Stream.of("bench", "report", directory.toString()), Stream.of(options))
            .toArray(String[]::new));
  }

  @Test
  void writesAPageWithoutExternalFiles() throws Exception {
    ResultFormat.write(directory.resolve("a.json"), result("2026-11-25", table(Chart.Kind.LINES)));

    assertThat(report().exitCode()).isZero();

    String page = Files.readString(directory.resolve("report.html"));
    assertThat(page)
        .contains("Reads &lt;by length&gt;")
        .contains("sluice bench read-length --rounds 3")
        .contains("<td class=\"number\">0.50</td>")
        .contains("<polyline")
        .contains("prefers-color-scheme: dark")
        .doesNotContain("http://", "https://", "<script", "<link", "url(");
  }

  @ParameterizedTest
  @EnumSource(Chart.Kind.class)
  void drawsEveryValueOfAChart(Chart.Kind kind) throws Exception {
    BenchTable table = table(kind);
    String svg = SvgChart.render(table, table.charts().get(0));

    Document drawing =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    // Three values; the series "a & b" has none for 1m.
    assertThat(drawing.getElementsByTagName("title").getLength()).isEqualTo(3);
    assertThat(svg)
        .contains("a &amp; b: 1.00")
        .contains("fetch: 2.00")
        .contains(">16k<")
        .contains(">2.00 GiB/s<");
  }

  @Test
  void labelsRowsByWhatTheyDifferIn() {
    BenchTable table =
        new BenchTable(
                "jobs",
                "Jobs",
                Column.text("job"),
                Column.text("codec"),
                Column.number("partitions", 0),
                Column.text("shuffle"),
                Column.number("s", 1))
            .row("sort", "lz4", 200, "a", 1)
            .row("sort", "lz4", 200, "b", 2)
            .row("sort", "none", 200, "a", 3)
            .row("sort", "none", 200, "b", 4);

    ChartSeries series =
        ChartSeries.of(
            table, new Chart("Time", "s", Chart.Kind.BARS, "job", "shuffle", List.of("s")));

    assertThat(series.labels()).containsExactly("sort, lz4", "sort, none");
    assertThat(series.values()).isEqualTo(Map.of("a", List.of(1.0, 3.0), "b", List.of(2.0, 4.0)));
  }

  @ParameterizedTest
  @CsvSource({
    "0.9, 1",
    "1, 1",
    "1.01, 2",
    "2.2, 2.5",
    "3, 5",
    "5.5, 10",
    "1000, 1000",
    "0.03, 0.05"
  })
  void endsAnAxisAtARoundNumber(double value, double end) {
    assertThat(SvgChart.end(value)).isCloseTo(end, Offset.offset(1e-9));
  }

  @Test
  void replacesTheTablesOfAPageByTheNewestResults() throws Exception {
    ResultFormat.write(directory.resolve("b.json"), result("2026-11-24", table(Chart.Kind.BARS)));
    BenchTable newest =
        new BenchTable("reads", "Reads", Column.text("length")).row("costs $1 \\ more");
    ResultFormat.write(directory.resolve("a.json"), result("2026-11-25", newest));
    Path page =
        Files.writeString(
            directory.resolve("page.md"),
            """
            before
            <!-- result reads -->
            old
            <!-- end -->
            between
            <!-- result unknown -->
            stays
            <!-- end -->
            """);

    assertThat(report("--page", page.toString()).exitCode()).isZero();

    assertThat(Files.readString(page))
        .isEqualTo(
            """
            before
            <!-- result reads -->

            | length |
            | --- |
            | costs $1 \\ more |

            * Medians of 3 rounds.
            * Measured on 2026-11-25 on 2 processors; load at the end 0.4.

            <!-- end -->
            between
            <!-- result unknown -->
            stays
            <!-- end -->
            """);
    String once = Files.readString(page);
    report("--page", page.toString());
    assertThat(Files.readString(page)).isEqualTo(once);
  }

  @Test
  void refusesADirectoryWithoutResults() throws Exception {
    assertThat(report().err()).contains("has no file *.json");
    Files.writeString(directory.resolve("x.json"), "{}");
    CliRun damaged = report();
    assertThat(damaged.exitCode()).isEqualTo(1);
    assertThat(damaged.err()).contains("x.json: not a file of `bench --json`: expected format 1");
    assertThat(directory.resolve("report.html")).doesNotExist();
  }
}
