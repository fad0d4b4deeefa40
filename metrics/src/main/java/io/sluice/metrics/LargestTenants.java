package io.sluice.metrics;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.ToLongFunction;

/**
 * Keeps the number of label values bounded, however many tenants there are: the largest have rows
 * of their own, all others share one.
 */
public final class LargestTenants {
  /** The label value of all the others. */
  public static final String OTHER = "other";

  private LargestTenants() {}

  /**
   * The largest few of {@code all}, and the sum of the rest under {@link #OTHER}, if there is any.
   *
   * @param most rows besides that one
   * @param sum of two rows
   */
  public static <V> Map<String, V> of(
      Map<String, V> all, int most, ToLongFunction<V> size, BinaryOperator<V> sum) {
    List<Map.Entry<String, V>> entries = new ArrayList<>(all.entrySet());
    entries.sort(
        Comparator.comparingLong((Map.Entry<String, V> entry) -> size.applyAsLong(entry.getValue()))
            .reversed()
            .thenComparing(Map.Entry::getKey));
    Map<String, V> rows = new LinkedHashMap<>();
    for (int i = 0; i < entries.size(); i++) {
      String name = i < most ? entries.get(i).getKey() : OTHER;
      rows.merge(name, entries.get(i).getValue(), sum);
    }
    return rows;
  }
}
