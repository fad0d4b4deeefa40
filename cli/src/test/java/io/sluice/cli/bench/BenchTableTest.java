package io.sluice.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.bench.BenchTable.Chart;
import io.sluice.cli.bench.BenchTable.Column;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchTableTest {
  private final BenchTable table =
      new BenchTable(
          "load", "Load", Column.text("block"), Column.number("GiB/s", 2), Column.number("n", 0));

  @Test
  void rendersNumbersWithTheDecimalsOfTheirColumn() {
    table.row("10k", 1.256, 12345).row("a|b", null, 0L);

    assertThat(table.toText().lines())
        .containsExactly("block  GiB/s       n", "10k     1.26  12,345", "a|b        -       0");
    assertThat(table.toMarkdown().lines())
        .containsExactly(
            "| block | GiB/s | n |",
            "| --- | ---: | ---: |",
            "| 10k | 1.26 | 12,345 |",
            "| a\\|b | - | 0 |");
  }

  @Test
  void refusesCellsThatDoNotFitTheirColumns() {
    assertThatThrownBy(() -> table.row("10k", 1.0))
        .hasMessage("table load: expected 3 cells, found 2");
    assertThatThrownBy(() -> table.row("10k", Double.NaN, 1))
        .hasMessage("column \"GiB/s\": expected a finite number, found NaN");
    assertThatThrownBy(() -> table.row(1, 1, 1))
        .hasMessage("column \"block\": expected a text, found 1");
    assertThat(table.rows()).isEmpty();
  }

  @Test
  void refusesChartsOfColumnsThatItDoesNotHave() {
    assertThatThrownBy(() -> table.chart(chart("", List.of("GiB"))))
        .hasMessage("table load has no column \"GiB\"");
    assertThatThrownBy(() -> table.chart(chart("", List.of("block"))))
        .hasMessageContaining("column \"block\" has no numbers");
    assertThatThrownBy(() -> chart("block", List.of("GiB/s", "n")))
        .hasMessageContaining("expected one column of values");
    assertThat(table.charts()).isEmpty();
  }

  private static Chart chart(String by, List<String> values) {
    return new Chart("Throughput", "GiB/s", Chart.Kind.BARS, "block", by, values);
  }
}
