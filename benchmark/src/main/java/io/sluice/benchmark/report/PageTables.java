package io.sluice.benchmark.report;

import io.sluice.cli.bench.BenchResult;
import io.sluice.cli.bench.BenchTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Replaces the tables of a Markdown page. A table is between two comments:
 *
 * <pre>
 * &lt;!-- result NAME --&gt;
 * …
 * &lt;!-- end --&gt;
 * </pre>
 *
 * <p>A marker without a result keeps its text.
 */
final class PageTables {
  private static final Pattern MARKED =
      Pattern.compile("<!-- result ([a-z][a-z0-9-]*) -->\n(.*?)<!-- end -->", Pattern.DOTALL);

  private PageTables() {}

  /**
   * Replaces the text between markers.
   *
   * @param results in order of their dates; the last one with a table of the name is used
   */
  static String replace(String page, List<BenchResult> results) {
    Map<String, String> texts = new LinkedHashMap<>();
    for (BenchResult result : results) {
      for (BenchTable table : result.tables()) {
        texts.put(table.name(), text(result, table));
      }
    }
    return MARKED
        .matcher(page)
        .replaceAll(
            found ->
                Matcher.quoteReplacement(
                    "<!-- result "
                        + found.group(1)
                        + " -->\n"
                        + texts.getOrDefault(found.group(1), found.group(2))
                        + "<!-- end -->"));
  }

  /** Names of the markers of the page. */
  static List<String> names(String page) {
    return MARKED.matcher(page).results().map(found -> found.group(1)).toList();
  }

  private static String text(BenchResult result, BenchTable table) {
    StringBuilder text = new StringBuilder("\n").append(table.toMarkdown()).append('\n');
    for (String note : result.notes()) {
      text.append("* ").append(wrap(note)).append('\n');
    }
    String machine =
        "Measured on "
            + result.date()
            + " on "
            + result.machine().getOrDefault("processors", "an unknown number of")
            + " processors; load at the end "
            + result.machine().getOrDefault("load at the end", "unknown")
            + ".";
    return text.append("* ").append(wrap(machine)).append("\n\n").toString();
  }

  /** Breaks a list item into lines of at most 116 columns, indented by two. */
  private static String wrap(String text) {
    StringBuilder wrapped = new StringBuilder();
    int column = 2;
    for (String word : text.split(" ")) {
      if (column > 2 && column + 1 + word.length() > 116) {
        wrapped.append("\n  ");
        column = 2;
      } else if (column > 2) {
        wrapped.append(' ');
        column++;
      }
      wrapped.append(word);
      column += word.length();
    }
    return wrapped.toString();
  }
}
