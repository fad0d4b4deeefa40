package io.sluice.common.run;

import java.util.HexFormat;
import java.util.function.LongSupplier;

/**
 * Random id of a run. Header and trailer both contain it, so that parts of two runs are never
 * combined.
 */
public record RunId(long high, long low) {
  public static RunId random(LongSupplier random) {
    return new RunId(random.getAsLong(), random.getAsLong());
  }

  /** 32 hexadecimal digits. */
  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(high) + hex.toHexDigits(low);
  }
}
