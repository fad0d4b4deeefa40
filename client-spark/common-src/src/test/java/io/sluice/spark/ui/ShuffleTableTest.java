package io.sluice.spark.ui;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.spark.stats.ShuffleCounters;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ShuffleTableTest {
  @Test
  void showsTotalsAndEachShuffle() {
    String html =
        ShuffleTable.html(
            List.of(
                state(0, "", 3 << 20, 1 << 20), state(1, "", 5 << 20, 0), state(2, "no", 0, 0)));

    assertThat(html)
        .contains("Sluice shuffles: </strong>2<")
        .contains("Built-in shuffles: </strong>1<")
        .contains("Pushed to servers: </strong>8.0 MiB<")
        .contains("Written to local output: </strong>1.0 MiB<")
        .contains("Spark's built-in shuffle: no")
        .contains(">3.0 KiB<")
        .contains(">1,234 matched<")
        .contains(">1,234 matched, <span class=\"sluice-warn\">1 wrong</span><");
    assertThat(html.split("<tr>", -1)).as("head and rows").hasSize(5);
    // The largest shuffle has a full bar; the others are in proportion.
    assertThat(html).contains("width:6.00em").contains("width:3.60em").contains("width:1.20em");
  }

  @Test
  void showsEachServerOnce() {
    String html = ServerTable.html(List.of(state(0, "", 3 << 20, 0), state(1, "", 5 << 20, 0)));

    assertThat(html.split("<tr>", -1)).as("head and one row").hasSize(3);
    assertThat(html)
        .contains("<td>&lt;a&gt;:1</td>")
        .contains(">8.0 MiB<")
        .contains(">14.0 KiB<")
        .contains(">3.0 s<")
        .contains(">1.8 s<");
  }

  @Test
  void escapesText() {
    String html = ShuffleTable.html(List.of(state(0, "<script>\"&", 0, 0)));

    assertThat(html).contains("&lt;script&gt;&quot;&amp;").doesNotContain("<script>");
  }

  private static ShuffleState state(int shuffleId, String refusal, long pushed, long local) {
    ShuffleCounters counters =
        new ShuffleCounters(
            new ShuffleCounters.Writes(1, 2, 3 << 10, pushed, local, 0, 0, 0),
            new ShuffleCounters.Reads(1, 1234, 0, 0, 0, 0, 0, 0, 0, 0),
            Map.of("<a>:1", new ShuffleCounters.AtServer(pushed, 7 << 10, 1_500, 0, 0, 900)));
    return new ShuffleState(shuffleId, 10, List.of("a:1"), 0, refusal, counters, shuffleId);
  }
}
