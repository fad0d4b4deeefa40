package io.sluice.benchmark.report;

import io.sluice.cli.bench.BenchResult;
import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Chart;
import io.sluice.cli.bench.BenchTable.Column;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Renders results as one HTML page without external files. */
final class HtmlReport {
  private static final String HEAD =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width">
      <title>Sluice benchmarks</title>
      <style>
      :root { --text: #1b1f24; --page: #ffffff; --line: #d0d7de; --soft: #57606a;
        --c0: #1f6fb2; --c1: #c0392b; --c2: #2e7d32; --c3: #8e5ea2; --c4: #b7791f; --c5: #4a5568; }
      @media (prefers-color-scheme: dark) {
        :root { --text: #e6edf3; --page: #0d1117; --line: #30363d; --soft: #8d96a0;
          --c0: #58a6ff; --c1: #ff7b72; --c2: #56d364; --c3: #d2a8ff; --c4: #e3b341; --c5: #8b949e; }
      }
      body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page);
        max-width: 960px; margin: 2rem auto; padding: 0 1rem; }
      table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1rem 0; }
      .wide { overflow-x: auto; }
      th, td { border-bottom: 1px solid var(--line); padding: 0.25rem 0.6rem; text-align: left; }
      th.number, td.number { text-align: right; }
      .facts, figcaption { color: var(--soft); }
      figure { margin: 1.5rem 0; }
      svg { width: 100%; height: auto; max-width: 760px; font-size: 12px; }
      svg text { fill: var(--text); }
      .grid { stroke: var(--line); }
      .s0 { fill: var(--c0); } .s1 { fill: var(--c1); } .s2 { fill: var(--c2); }
      .s3 { fill: var(--c3); } .s4 { fill: var(--c4); } .s5 { fill: var(--c5); }
      .l0 { stroke: var(--c0); } .l1 { stroke: var(--c1); } .l2 { stroke: var(--c2); }
      .l3 { stroke: var(--c3); } .l4 { stroke: var(--c4); } .l5 { stroke: var(--c5); }
      polyline { fill: none; stroke-width: 2; }
      </style>
      </head>
      <body>
      <h1>Sluice benchmarks</h1>
      """;

  private final StringBuilder page = new StringBuilder(HEAD);

  private HtmlReport() {}

  static String render(List<BenchResult> results) {
    HtmlReport report = new HtmlReport();
    report.page.append("<ul>\n");
    for (int i = 0; i < results.size(); i++) {
      report.element(
          "<li><a href=\"#run-" + i + "\">",
          results.get(i).command() + ", " + results.get(i).date(),
          "</a></li>");
    }
    report.page.append("</ul>\n");
    for (int i = 0; i < results.size(); i++) {
      report.result(results.get(i), "run-" + i);
    }
    return report.page.append("</body>\n</html>\n").toString();
  }

  private void result(BenchResult result, String id) {
    element("<h2 id=\"" + id + "\">", result.command(), "</h2>");
    element("<p class=\"facts\">", command(result), "</p>");
    element(
        "<p class=\"facts\">",
        result.date() + "; " + facts(result.versions()) + "; " + facts(result.machine()),
        "</p>");
    for (BenchTable table : result.tables()) {
      table(table);
    }
    for (String note : result.notes()) {
      element("<p>", note, "</p>");
    }
  }

  private static String command(BenchResult result) {
    String options =
        result.options().entrySet().stream()
            .map(option -> " " + option.getKey() + " " + option.getValue())
            .collect(Collectors.joining());
    return "sluice bench " + result.command() + options;
  }

  private static String facts(Map<String, String> facts) {
    return facts.entrySet().stream()
        .map(fact -> fact.getKey() + " " + fact.getValue())
        .collect(Collectors.joining(", "));
  }

  private void table(BenchTable table) {
    element("<h3>", table.title(), "</h3>");
    page.append("<div class=\"wide\"><table>\n<tr>");
    for (Column column : table.columns()) {
      element(column.isNumber() ? "<th class=\"number\">" : "<th>", column.name(), "</th>");
    }
    page.append("</tr>\n");
    for (List<Object> row : table.rows()) {
      page.append("<tr>");
      for (int i = 0; i < row.size(); i++) {
        Column column = table.columns().get(i);
        element(
            column.isNumber() ? "<td class=\"number\">" : "<td>",
            column.format(row.get(i)),
            "</td>");
      }
      page.append("</tr>\n");
    }
    page.append("</table></div>\n");
    for (Chart chart : table.charts()) {
      String drawing = SvgChart.render(table, chart);
      if (!drawing.isEmpty()) {
        page.append("<figure>\n").append(drawing);
        element("<figcaption>", chart.title(), "</figcaption>");
        page.append("</figure>\n");
      }
    }
  }

  private void element(String start, String text, String end) {
    page.append(start).append(Html.escape(text)).append(end).append('\n');
  }
}
