package io.sluice.metrics;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.ToLongFunction;

/**
 * Bounds the number of label values: the largest tenants have separate rows, all others share one
 * row.
 */
public final class LargestTenants {
  /** Label value of all other tenants. */
  public static final String OTHER = "other";

  private LargestTenants() {}

  /**
   * The largest rows of {@code all}, and the sum of the others under {@link #OTHER}, if any.
   *
   * @param maxRows maximum number of rows without {@link #OTHER}
   * @param sum adds two rows
   */
  public static <V> Map<String, V> of(
      Map<String, V> all, int maxRows, ToLongFunction<V> size, BinaryOperator<V> sum) {
    List<Map.Entry<String, V>> entries = new ArrayList<>(all.entrySet());
    entries.sort(
        Comparator.comparingLong((Map.Entry<String, V> entry) -> size.applyAsLong(entry.getValue()))
            .reversed()
            .thenComparing(Map.Entry::getKey));
    Map<String, V> rows = new LinkedHashMap<>();
    for (int i = 0; i < entries.size(); i++) {
      String name = i < maxRows ? entries.get(i).getKey() : OTHER;
      rows.merge(name, entries.get(i).getValue(), sum);
    }
    return rows;
  }
}
