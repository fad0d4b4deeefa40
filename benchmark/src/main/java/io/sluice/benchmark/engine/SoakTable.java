package io.sluice.benchmark.engine;

import io.sluice.cli.bench.BenchTable;
import io.sluice.cli.bench.BenchTable.Chart;
import io.sluice.cli.bench.BenchTable.Column;
import io.sluice.demo.staging.AmountText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Result of a soak: memory, descriptors, threads and files of each process that was not restarted,
 * in the first and the last quarter of the run, as medians; the course of these quantities in all
 * processes; and the data that servers store after the last application.
 */
final class SoakTable implements TabledOutcome {
  /**
   * Length of a run from which growth is a failure. In a shorter run, heaps and caches still grow.
   */
  static final int MIN_MINUTES = 30;

  /** Growth of a median that counts as growth, with the absolute slack of small numbers below. */
  private static final double MAX_GROWTH = 1.15;

  private static final int SLACK_COUNT = 16;
  private static final int SLACK_MIB = 32;

  /** Samples of the warm-up, in which heaps and caches grow, as a share of the run. */
  private static final double WARM_UP = 0.15;

  /** Number of points of a line of a chart. */
  private static final int POINTS = 16;

  private static final int SECONDS_PER_MINUTE = 60;
  private static final double BYTES_PER_MIB = 1 << 20;

  /** A measured quantity. */
  private record Quantity(
      String name, String unit, ToDoubleFunction<NodeSample> value, double slack) {
    private static Quantity ofBytes(String name, ToDoubleFunction<NodeSample> bytes) {
      return new Quantity(
          name + ", MiB", "MiB", one -> bytes.applyAsDouble(one) / BYTES_PER_MIB, SLACK_MIB);
    }

    private static Quantity ofCount(String name, ToDoubleFunction<NodeSample> count) {
      return new Quantity(name, name, count, SLACK_COUNT);
    }

    private Column column() {
      return Column.number(name, unit.equals("MiB") ? 1 : 0);
    }
  }

  private static final List<Quantity> QUANTITIES =
      List.of(
          Quantity.ofBytes("resident memory", NodeSample::residentBytes),
          Quantity.ofCount("descriptors", NodeSample::descriptors),
          Quantity.ofCount("threads", NodeSample::threads),
          Quantity.ofCount("files", NodeSample::files),
          Quantity.ofBytes("bytes of files", NodeSample::fileBytes),
          Quantity.ofBytes("catalog", NodeSample::catalogBytes));

  private final SoakCounts counts;
  private final List<String> leftovers;
  private final List<String> growing = new ArrayList<>();
  private final BenchTable quarters =
      new BenchTable(
          "soak",
          "Processes that were not restarted",
          Column.text("process"),
          Column.text("quantity"),
          Column.number("first quarter", 1),
          Column.number("last quarter", 1),
          Column.number("ratio", 2),
          Column.number("maximum", 1));
  private final BenchTable course;

  /** Numbers of events of the run. */
  record SoakCounts(
      long seconds,
      int applications,
      int jobs,
      int differentJobs,
      int restarts,
      long pushedBytes) {}

  /**
   * @param leftovers data that servers store after all applications have ended
   */
  SoakTable(SoakCounts counts, List<NodeSample> samples, List<String> leftovers) {
    this.counts = counts;
    this.leftovers = List.copyOf(leftovers);
    Map<String, List<NodeSample>> byNode = new LinkedHashMap<>();
    samples.forEach(
        sample -> byNode.computeIfAbsent(sample.node(), node -> new ArrayList<>()).add(sample));
    double end = samples.stream().mapToDouble(NodeSample::seconds).max().orElse(0);
    course = course(byNode, end);
    byNode.values().removeIf(all -> all.stream().mapToLong(NodeSample::pid).distinct().count() > 1);
    byNode.forEach((node, all) -> QUANTITIES.forEach(what -> addRow(node, what, all, end)));
  }

  private void addRow(String node, Quantity what, List<NodeSample> all, double end) {
    double begin = end * WARM_UP;
    double quarter = (end - begin) / 4;
    double first = median(all, what, begin, begin + quarter);
    double last = median(all, what, end - quarter, end);
    double most = all.stream().mapToDouble(what.value).max().orElse(0);
    quarters.row(node, what.name, first, last, first == 0 ? 1 : last / first, most);
    if (last > first * MAX_GROWTH && last - first > what.slack) {
      growing.add(node + " " + what.name);
    }
  }

  private static double median(List<NodeSample> all, Quantity what, double from, double to) {
    List<NodeSample> some = between(all, from, to);
    return some.isEmpty() ? 0 : Medians.of(some, what.value);
  }

  private static List<NodeSample> between(List<NodeSample> all, double from, double to) {
    return all.stream().filter(one -> one.seconds() >= from && one.seconds() <= to).toList();
  }

  /** A row for each part of the run and process, with medians, and a chart for each quantity. */
  private static BenchTable course(Map<String, List<NodeSample>> byNode, double end) {
    double part = end / POINTS;
    List<Column> columns = new ArrayList<>();
    columns.add(Column.number("minute", part < SECONDS_PER_MINUTE ? 1 : 0));
    columns.add(Column.text("process"));
    QUANTITIES.forEach(what -> columns.add(what.column()));
    BenchTable table = new BenchTable("soak-course", "Course of all processes", columns);
    for (int point = 0; point < POINTS; point++) {
      double from = point * part;
      byNode.forEach(
          (node, all) -> {
            List<NodeSample> some = between(all, from, from + part);
            if (!some.isEmpty()) {
              List<Object> cells = new ArrayList<>();
              cells.add((from + part) / SECONDS_PER_MINUTE);
              cells.add(node);
              QUANTITIES.forEach(what -> cells.add(Medians.of(some, what.value)));
              table.row(cells.toArray());
            }
          });
    }
    for (Quantity what : QUANTITIES) {
      table.chart(
          new Chart(
              what.name + " by minute",
              what.unit,
              Chart.Kind.LINES,
              "minute",
              "process",
              List.of(what.name)));
    }
    return table;
  }

  private boolean isLong() {
    return counts.seconds >= (long) MIN_MINUTES * SECONDS_PER_MINUTE;
  }

  /** True if all rows were the same, nothing grew in a long run, and nothing was left. */
  @Override
  public boolean isGood() {
    return counts.differentJobs == 0
        && counts.jobs > 0
        && leftovers.isEmpty()
        && (growing.isEmpty() || !isLong());
  }

  @Override
  public List<BenchTable> tables() {
    return List.of(quarters, course);
  }

  @Override
  public List<String> notes() {
    return List.of(
        String.format(
            Locale.ROOT,
            "%d s, %d applications, %d jobs, %d with other rows than the built-in shuffle, %d"
                + " restarts of processes, %s pushed.",
            counts.seconds,
            counts.applications,
            counts.jobs,
            counts.differentJobs,
            counts.restarts,
            AmountText.bytes(counts.pushedBytes)));
  }

  @Override
  public String remarks() {
    StringBuilder text = new StringBuilder();
    notes().forEach(note -> text.append(note).append('\n'));
    leftovers.forEach(left -> text.append("left: ").append(left).append('\n'));
    growing.forEach(what -> text.append("grows: ").append(what).append('\n'));
    if (!growing.isEmpty() && !isLong()) {
      text.append("growth is no failure in a run of less than ")
          .append(MIN_MINUTES)
          .append(" minutes\n");
    }
    return text.toString();
  }

  /** The quarters and the remarks; the course is for charts. */
  @Override
  public String render() {
    return quarters.toMarkdown() + "\n" + remarks();
  }
}
