package io.sluice.common.run;

import java.util.function.LongSupplier;

/**
 * Random id of a run. Header and trailer both contain it, so that parts of two runs are never
 * combined.
 */
public record RunId(long high, long low) {
  private static final String ZEROS = "0000000000000000";

  public static RunId random(LongSupplier random) {
    return new RunId(random.getAsLong(), random.getAsLong());
  }

  /** 32 hexadecimal digits. */
  @Override
  public String toString() {
    return digits(high) + digits(low);
  }

  private static String digits(long half) {
    String digits = Long.toHexString(half);
    return ZEROS.substring(digits.length()) + digits;
  }
}
