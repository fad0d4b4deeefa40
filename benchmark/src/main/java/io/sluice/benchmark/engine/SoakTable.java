package io.sluice.benchmark.engine;

import io.sluice.demo.Comparison;
import io.sluice.demo.staging.AmountText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Result of a soak: for each process that was not restarted, what it held in the first and the last
 * quarter of the run, as medians; and what was left after the last application.
 */
final class SoakTable implements Comparison.Outcome {
  /** Growth of a median that counts as growth, with the absolute slack of small numbers below. */
  private static final double MAX_GROWTH = 1.15;

  private static final int SLACK_COUNT = 16;
  private static final long SLACK_BYTES = 32L << 20;

  /** Samples of the warm-up, in which heaps and caches grow, as a share of the run. */
  private static final double WARM_UP = 0.15;

  /** A measured quantity. */
  private record Quantity(
      String name, ToDoubleFunction<NodeSample> value, boolean bytes, double slack) {
    private String text(double amount) {
      return bytes ? AmountText.bytes((long) amount) : String.format(Locale.ROOT, "%.0f", amount);
    }
  }

  private static final List<Quantity> QUANTITIES =
      List.of(
          new Quantity("resident memory", NodeSample::residentBytes, true, SLACK_BYTES),
          new Quantity("descriptors", NodeSample::descriptors, false, SLACK_COUNT),
          new Quantity("threads", NodeSample::threads, false, SLACK_COUNT),
          new Quantity("files", NodeSample::files, false, SLACK_COUNT),
          new Quantity("bytes of files", NodeSample::fileBytes, true, SLACK_BYTES));

  private final SoakCounts counts;
  private final Map<String, List<NodeSample>> byNode = new LinkedHashMap<>();
  private final List<String> leftovers;
  private final List<String> growing = new ArrayList<>();
  private final StringBuilder text = new StringBuilder();

  /** Numbers of what happened in the run. */
  record SoakCounts(
      long seconds,
      int applications,
      int jobs,
      int differentJobs,
      int restarts,
      long pushedBytes) {}

  /**
   * @param leftovers what processes still hold after all applications have ended
   */
  SoakTable(SoakCounts counts, List<NodeSample> samples, List<String> leftovers) {
    this.counts = counts;
    this.leftovers = List.copyOf(leftovers);
    samples.forEach(
        sample -> byNode.computeIfAbsent(sample.node(), node -> new ArrayList<>()).add(sample));
    byNode.values().removeIf(all -> all.stream().mapToLong(NodeSample::pid).distinct().count() > 1);
    render(samples);
  }

  private void render(List<NodeSample> samples) {
    text.append(
        String.format(
            Locale.ROOT,
            "%d s, %d applications, %d jobs, %d with other rows than the built-in shuffle, %d"
                + " restarts of processes, %s pushed%n%n",
            counts.seconds,
            counts.applications,
            counts.jobs,
            counts.differentJobs,
            counts.restarts,
            AmountText.bytes(counts.pushedBytes)));
    text.append("| process | quantity | first quarter | last quarter | ratio | maximum |\n");
    text.append("| --- | --- | ---: | ---: | ---: | ---: |\n");
    double end = samples.stream().mapToDouble(NodeSample::seconds).max().orElse(0);
    byNode.forEach((node, all) -> QUANTITIES.forEach(what -> appendRow(node, what, all, end)));
    leftovers.forEach(left -> text.append("left: ").append(left).append('\n'));
    growing.forEach(what -> text.append("grows: ").append(what).append('\n'));
  }

  private void appendRow(String node, Quantity what, List<NodeSample> all, double end) {
    double begin = end * WARM_UP;
    double quarter = (end - begin) / 4;
    double first = median(all, what, begin, begin + quarter);
    double last = median(all, what, end - quarter, end);
    double most = all.stream().mapToDouble(what.value).max().orElse(0);
    text.append(
        String.format(
            Locale.ROOT,
            "| %s | %s | %s | %s | %.2f | %s |%n",
            node,
            what.name,
            what.text(first),
            what.text(last),
            first == 0 ? 1 : last / first,
            what.text(most)));
    if (last > first * MAX_GROWTH && last - first > what.slack) {
      growing.add(node + " " + what.name);
    }
  }

  private static double median(List<NodeSample> all, Quantity what, double from, double to) {
    List<NodeSample> some =
        all.stream().filter(one -> one.seconds() >= from && one.seconds() <= to).toList();
    return some.isEmpty() ? 0 : Medians.of(some, what.value);
  }

  /** True if all rows were the same, nothing grew, and nothing was left. */
  @Override
  public boolean isGood() {
    return counts.differentJobs == 0 && counts.jobs > 0 && leftovers.isEmpty() && growing.isEmpty();
  }

  @Override
  public String render() {
    return text.toString();
  }
}
