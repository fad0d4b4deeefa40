package io.sluice.metrics;

import java.util.List;
import java.util.regex.Pattern;

/**
 * A metric by Prometheus' conventions: base units, the unit at the end of the name, counters with
 * {@code _total} behind it.
 *
 * @param name with its prefix
 * @param labels in the order of their values
 * @param buckets upper bounds of a histogram, ascending; empty for the other kinds
 */
public record Metric(
    String name, Kind kind, List<String> labels, String help, List<Double> buckets) {

  /** What may be done with the values. */
  public enum Kind {
    /** Only grows; starts at zero with the process. */
    COUNTER,
    /** A value of the moment. */
    GAUGE,
    /** Counts observations up to each of some bounds. */
    HISTOGRAM
  }

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(_[a-z0-9]+)+");
  private static final String TOTAL = "_total";
  private static final List<String> UNITS = List.of("bytes", "seconds", "ratio");

  public Metric {
    labels = List.copyOf(labels);
    buckets = List.copyOf(buckets);
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("metric name " + name + ", expected words and _");
    }
    if (name.endsWith(TOTAL) != (kind == Kind.COUNTER)) {
      throw new IllegalArgumentException(name + ": counters, and no others, end in " + TOTAL);
    }
    if (buckets.isEmpty() == (kind == Kind.HISTOGRAM)) {
      throw new IllegalArgumentException(name + ": histograms, and no others, have buckets");
    }
    if (help.isBlank() || help.endsWith(".")) {
      throw new IllegalArgumentException(name + ": help expected, without a full stop");
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

  /** Its unit, as its name says; empty when it counts things. */
  public String unit() {
    String base = kind == Kind.COUNTER ? name.substring(0, name.length() - TOTAL.length()) : name;
    String last = base.substring(base.lastIndexOf('_') + 1);
    return UNITS.contains(last) ? last : "";
  }
}
