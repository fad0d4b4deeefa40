package io.sluice.metrics;

import java.util.List;
import java.util.regex.Pattern;

/**
 * A metric that follows Prometheus' conventions: base units, names that end in the unit, and {@code
 * _total} at the end of the names of counters.
 *
 * @param name name with its prefix
 * @param labels in the order of their values
 * @param buckets upper bounds of a histogram, ascending; empty for the other kinds
 */
public record Metric(
    String name, Kind kind, List<String> labels, String help, List<Double> buckets) {

  /** Type of the metric. */
  public enum Kind {
    /** Never decreases; starts at zero with the process. */
    COUNTER,
    /** The current value. */
    GAUGE,
    /** Counts observations up to each of its bounds. */
    HISTOGRAM
  }

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(_[a-z0-9]+)+");
  private static final String TOTAL = "_total";
  private static final List<String> UNITS = List.of("bytes", "seconds", "ratio");

  public Metric {
    labels = List.copyOf(labels);
    buckets = List.copyOf(buckets);
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("invalid metric name " + name + ", expected " + NAME);
    }
    if (name.endsWith(TOTAL) != (kind == Kind.COUNTER)) {
      throw new IllegalArgumentException(name + ": only names of counters must end in " + TOTAL);
    }
    if (buckets.isEmpty() == (kind == Kind.HISTOGRAM)) {
      throw new IllegalArgumentException(
          name + ": histograms must have buckets, other metrics must not");
    }
    if (help.isBlank() || help.endsWith(".")) {
      throw new IllegalArgumentException(
          name + ": the help text must not be empty or end with a full stop");
    }
  }

  public static Metric counter(String name, String help, String... labels) {
    return new Metric(name, Kind.COUNTER, List.of(labels), help, List.of());
  }

  public static Metric gauge(String name, String help, String... labels) {
    return new Metric(name, Kind.GAUGE, List.of(labels), help, List.of());
  }

  public static Metric histogram(String name, String help, List<Double> buckets, String... labels) {
    return new Metric(name, Kind.HISTOGRAM, List.of(labels), help, buckets);
  }

  /** The unit in the metric's name; empty if it has none. */
  public String unit() {
    String base = kind == Kind.COUNTER ? name.substring(0, name.length() - TOTAL.length()) : name;
    String last = base.substring(base.lastIndexOf('_') + 1);
    return UNITS.contains(last) ? last : "";
  }
}
