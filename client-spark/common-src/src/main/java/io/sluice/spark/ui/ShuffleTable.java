package io.sluice.spark.ui;

import io.sluice.spark.stats.ShuffleCounters;
import java.util.List;
import java.util.Locale;

/** Content of the Sluice page: totals, and a table with one row per shuffle. */
final class ShuffleTable {
  private static final String STYLE =
      "<style>.sluice-bar{display:inline-block;height:.6em;margin-left:.5em;min-width:1px}"
          + ".sluice-pushed{background:#0088cc}.sluice-local{background:#d9822b}"
          + ".sluice-warn{color:#b94a48;font-weight:bold}"
          + "#sluice-shuffles{font-size:.8rem}#sluice-shuffles td,#sluice-shuffles th{padding:.25rem}"
          + "</style>";

  /** Width of the longest bar, in hundredths of em. */
  private static final int BAR = 600;

  private ShuffleTable() {}

  static String html(List<ShuffleState> rows) {
    ShuffleCounters total = ShuffleCounters.ZERO;
    long most = 1;
    int builtIn = 0;
    for (ShuffleState row : rows) {
      ShuffleCounters counters = row.counters;
      total = total.plus(counters);
      most = Math.max(most, counters.writes().pushedBytes() + counters.writes().localBytes());
      builtIn += row.refusal.isEmpty() ? 0 : 1;
    }
    StringBuilder html = new StringBuilder(STYLE);
    html.append("<ul class=\"list-unstyled\" id=\"sluice-totals\">");
    item(html, "Sluice shuffles", Integer.toString(rows.size() - builtIn));
    item(html, "Built-in shuffles", Integer.toString(builtIn));
    item(html, "Pushed to servers", HtmlText.size(total.writes().pushedBytes()));
    item(html, "Written to local output", HtmlText.size(total.writes().localBytes()));
    item(html, "Read from servers", HtmlText.size(total.reads().bytes()));
    item(html, "Read from local output", HtmlText.size(total.reads().localBytes()));
    html.append("</ul><div class=\"table-responsive\">");
    HtmlText.tableHead(
        html,
        "sluice-shuffles",
        List.of(
            "Shuffle",
            "Partitions",
            "Servers",
            "Map attempts",
            "Records",
            "Bytes of records",
            "Receipts compared",
            "Pushed",
            "Written locally",
            "Retries",
            "Replacement servers",
            "Push wait",
            "Reads",
            "Read from servers",
            "Read from run files",
            "Read locally",
            "Read wait"));
    for (ShuffleState row : rows) {
      row(html, row, most);
    }
    return html.append("</tbody></table></div>").toString();
  }

  private static void item(StringBuilder html, String name, String value) {
    html.append("<li><strong>").append(name).append(": </strong>").append(value).append("</li>");
  }

  private static void row(StringBuilder html, ShuffleState row, long most) {
    ShuffleCounters counters = row.counters;
    html.append("<tr><td>").append(row.shuffleId).append("</td>");
    HtmlText.number(html, row.partitions);
    html.append("<td>");
    if (row.refusal.isEmpty()) {
      html.append(HtmlText.escaped(String.join(", ", row.servers)));
    } else {
      html.append("<span class=\"sluice-warn\">Spark's built-in shuffle: ");
      html.append(HtmlText.escaped(row.refusal)).append("</span>");
    }
    html.append("</td>");
    HtmlText.number(html, counters.writes().attempts());
    HtmlText.number(html, counters.writes().records());
    HtmlText.cell(
        html, counters.writes().recordBytes(), HtmlText.size(counters.writes().recordBytes()));
    receipts(html, counters.reads().receipts(), row.wrongReceipts);
    bytes(html, counters.writes().pushedBytes(), most, "sluice-pushed");
    bytes(html, counters.writes().localBytes(), most, "sluice-local");
    HtmlText.number(html, counters.writes().retries() + counters.reads().retries());
    HtmlText.number(html, counters.writes().replacementServers());
    HtmlText.millis(html, counters.writes().waitMs());
    HtmlText.number(html, counters.reads().count());
    bytes(html, counters.reads().bytes(), most, "sluice-pushed");
    bytes(html, counters.reads().fileBytes(), most, "sluice-pushed");
    bytes(html, counters.reads().localBytes(), most, "sluice-local");
    HtmlText.millis(html, counters.reads().waitMs());
    html.append("</tr>");
  }

  private static void receipts(StringBuilder html, long matched, int wrong) {
    String warning =
        wrong == 0
            ? ""
            : String.format(Locale.ROOT, ", <span class=\"sluice-warn\">%,d wrong</span>", wrong);
    HtmlText.cell(html, matched, String.format(Locale.ROOT, "%,d matched", matched) + warning);
  }

  private static void bytes(StringBuilder html, long value, long most, String kind) {
    String bar =
        value == 0
            ? ""
            : "<span class=\"sluice-bar "
                + kind
                + "\" style=\"width:"
                + String.format(
                    Locale.ROOT, "%.2f", Math.min(BAR, BAR * (double) value / most) / 100)
                + "em\"></span>";
    HtmlText.cell(html, value, HtmlText.size(value) + bar);
  }
}
