package io.sluice.benchmark.engine;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** A number over time that changes in steps; 0 before the first one. Used by one thread. */
final class StepCurve {
  /** Value from a time on, until the next time. */
  private final NavigableMap<Long, Long> values;

  private StepCurve(NavigableMap<Long, Long> values) {
    this.values = values;
  }

  /** A curve of samples: each is the value until the next one. */
  static StepCurve ofValues(Map<Long, Long> valueByTime) {
    return new StepCurve(new TreeMap<>(valueByTime));
  }

  /** A curve of changes. */
  static StepCurve ofChanges(Map<Long, Long> changeByTime) {
    NavigableMap<Long, Long> values = new TreeMap<>();
    long value = 0;
    for (Map.Entry<Long, Long> change : new TreeMap<>(changeByTime).entrySet()) {
      value += change.getValue();
      values.put(change.getKey(), value);
    }
    return new StepCurve(values);
  }

  long at(long time) {
    Map.Entry<Long, Long> last = values.floorEntry(time);
    return last == null ? 0 : last.getValue();
  }

  /** Highest value from {@code begin} until before {@code end}. */
  long highest(long begin, long end) {
    return values.subMap(begin, end).values().stream().reduce(at(begin), Math::max);
  }

  long peak() {
    return values.values().stream().reduce(0L, Math::max);
  }

  /** First time of the highest value; 0 without one. */
  long peakTime() {
    long peak = peak();
    return values.entrySet().stream()
        .filter(one -> one.getValue() == peak)
        .mapToLong(Map.Entry::getKey)
        .findFirst()
        .orElse(0);
  }
}
