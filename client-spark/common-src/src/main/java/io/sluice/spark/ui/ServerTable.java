package io.sluice.spark.ui;

import io.sluice.spark.stats.ShuffleCounters;
import io.sluice.spark.stats.ShuffleCounters.AtServer;
import java.util.List;

/** Content of the Sluice page: bytes and waits of tasks, with one row per server. */
final class ServerTable {
  private ServerTable() {}

  static String html(List<ShuffleState> rows) {
    ShuffleCounters total = ShuffleCounters.ZERO;
    for (ShuffleState row : rows) {
      total = total.plus(row.counters);
    }
    StringBuilder html = new StringBuilder("<h4>Servers</h4>");
    HtmlText.tableHead(
        html,
        "sluice-servers",
        List.of(
            "Server",
            "Pushed",
            "Read",
            "Push wait",
            "Read wait",
            "Of these waits: memory",
            "Of these waits: disk"));
    total.servers().forEach((server, counters) -> row(html, server, counters));
    return html.append("</tbody></table>").toString();
  }

  private static void row(StringBuilder html, String server, AtServer counters) {
    html.append("<tr><td>").append(HtmlText.escaped(server)).append("</td>");
    HtmlText.bytes(html, counters.pushedBytes());
    HtmlText.bytes(html, counters.readBytes());
    HtmlText.millis(html, counters.pushWaitMs());
    HtmlText.millis(html, counters.readWaitMs());
    HtmlText.millis(html, counters.memoryWaitMs());
    HtmlText.millis(html, counters.diskWaitMs());
    html.append("</tr>");
  }
}
