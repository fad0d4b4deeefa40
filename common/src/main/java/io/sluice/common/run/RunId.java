package io.sluice.common.run;

import java.util.random.RandomGenerator;

/** Name of a run, random, so that parts of two runs are never taken for one. */
public record RunId(long high, long low) {
  public static RunId random(RandomGenerator random) {
    return new RunId(random.nextLong(), random.nextLong());
  }

  /** 32 hexadecimal digits. */
  @Override
  public String toString() {
    return String.format("%016x%016x", high, low);
  }
}
