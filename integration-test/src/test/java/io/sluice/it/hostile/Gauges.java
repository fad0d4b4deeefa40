package io.sluice.it.hostile;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Snapshot of the metrics of one process. Immutable. */
final class Gauges {
  private final Map<String, Double> samples;

  private Gauges(Map<String, Double> samples) {
    this.samples = samples;
  }

  /** Reads the text format of Prometheus. */
  static Gauges parse(String text) {
    Map<String, Double> samples = new HashMap<>();
    for (String line : text.split("\n", -1)) {
      if (!line.isEmpty() && !line.startsWith("#")) {
        int end = line.lastIndexOf('}') + 1;
        int blank = line.indexOf(' ', end);
        samples.put(line.substring(0, blank), Double.valueOf(line.substring(blank + 1).strip()));
      }
    }
    return new Gauges(samples);
  }

  /** Sum of all series of a metric. */
  long sum(String name) {
    double sum = 0;
    boolean found = false;
    for (Map.Entry<String, Double> sample : samples.entrySet()) {
      String key = sample.getKey();
      if (key.equals(name) || key.startsWith(name + "{")) {
        sum += sample.getValue();
        found = true;
      }
    }
    if (!found) {
      throw new IllegalArgumentException("the process does not expose the metric " + name);
    }
    return (long) sum;
  }

  /**
   * Value of one series.
   *
   * @param label label in text format, such as {@code area="heap"}
   */
  long of(String name, String label) {
    for (Map.Entry<String, Double> sample : samples.entrySet()) {
      if (sample.getKey().startsWith(name + "{") && sample.getKey().contains(label)) {
        return sample.getValue().longValue();
      }
    }
    throw new IllegalArgumentException(
        "the process does not expose the metric " + name + " with " + label);
  }

  /** Every series of a metric, by its labels. */
  Map<String, Long> series(String name) {
    Map<String, Long> found = new TreeMap<>();
    samples.forEach(
        (key, value) -> {
          if (key.startsWith(name + "{")) {
            found.put(key.substring(name.length()), value.longValue());
          }
        });
    return found;
  }
}
