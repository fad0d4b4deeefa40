package io.sluice.demo.staging;

import java.util.List;
import java.util.Locale;

/** Formats times and sizes for tables and messages. */
public final class AmountText {
  private static final long KIB = 1024;

  private AmountText() {}

  /** Seconds with one decimal digit, without unit. */
  public static String seconds(long elapsedMs) {
    return String.format(Locale.ROOT, "%.1f", elapsedMs / 1000.0);
  }

  /** Bytes in the largest binary unit of which there is at least one. */
  public static String bytes(long count) {
    if (count < KIB) {
      return count + " B";
    }
    double value = count;
    String unit = "B";
    for (String next : List.of("KiB", "MiB", "GiB", "TiB")) {
      if (value < KIB) {
        break;
      }
      value /= KIB;
      unit = next;
    }
    return String.format(Locale.ROOT, "%.1f %s", value, unit);
  }
}
