package io.sluice.spark.ui;

import io.sluice.common.config.DataSize;
import java.util.List;
import java.util.Locale;

/** Formats the numbers and cells of tables. */
final class HtmlText {
  private HtmlText() {}

  /** The begin of a sortable table, up to its first row. */
  static void tableHead(StringBuilder html, String id, List<String> columns) {
    html.append("<table class=\"table table-bordered table-sm table-striped sortable\"");
    html.append(" id=\"").append(id).append("\"><thead><tr>");
    for (String column : columns) {
      html.append("<th>").append(column).append("</th>");
    }
    html.append("</tr></thead><tbody>");
  }

  /** A table cell with a numeric sort key. */
  static void cell(StringBuilder html, long value, String content) {
    html.append("<td sorttable_customkey=\"").append(value).append("\">");
    html.append(content).append("</td>");
  }

  static void number(StringBuilder html, long value) {
    cell(html, value, String.format(Locale.ROOT, "%,d", value));
  }

  static void millis(StringBuilder html, long value) {
    cell(html, value, String.format(Locale.ROOT, "%.1f s", value / 1000.0));
  }

  static void bytes(StringBuilder html, long value) {
    cell(html, value, size(value));
  }

  static String size(long bytes) {
    return new DataSize(bytes).toRoundedText();
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
