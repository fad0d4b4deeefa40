package io.sluice.metrics;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Writes the documentation page of metrics as Markdown. The output depends on the input only. */
public final class MetricDocs {

  /** The metrics of one type of process. */
  public record Section(String title, String intro, List<Metric> metrics) {}

  private MetricDocs() {}

  /**
   * A whole page.
   *
   * @param head Markdown before the first section
   */
  public static String render(String head, List<Section> sections) {
    StringBuilder page = new StringBuilder(head.strip()).append('\n');
    for (Section section : sections) {
      page.append("\n## ").append(section.title).append("\n\n");
      page.append(section.intro.strip()).append("\n\n");
      page.append("| metric | type | unit | labels | meaning |\n|---|---|---|---|---|\n");
      section.metrics.forEach(metric -> row(page, metric));
    }
    return page.toString();
  }

  private static void row(StringBuilder page, Metric metric) {
    String labels =
        metric.labels().stream().map(label -> "`" + label + "`").collect(Collectors.joining(", "));
    String meaning = metric.help() + ".";
    if (metric.kind() == Metric.Kind.HISTOGRAM) {
      meaning += " Buckets: " + buckets(metric) + ".";
    }
    page.append("| `")
        .append(metric.name())
        .append("` | ")
        .append(metric.kind().name().toLowerCase(Locale.ROOT))
        .append(" | ")
        .append(metric.unit())
        .append(" | ")
        .append(labels)
        .append(" | ")
        .append(meaning.replace("|", "\\|"))
        .append(" |\n");
  }

  private static String buckets(Metric metric) {
    return metric.buckets().stream()
        .map(bound -> BigDecimal.valueOf(bound).stripTrailingZeros().toPlainString())
        .collect(Collectors.joining(", "));
  }
}
