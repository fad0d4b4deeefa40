package io.sluice.server.config;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.Optional;

/** The rule that pairs of marks share. */
final class Watermarks {
  private Watermarks() {}

  /** The low mark lies below the high one; else the problem in one line. */
  static Optional<String> check(ConfigSet set, ConfigKey<Double> low, ConfigKey<Double> high) {
    double lowPercent = set.get(low);
    double highPercent = set.get(high);
    if (lowPercent < highPercent) {
      return Optional.empty();
    }
    return Optional.of(
        low.name()
            + " ("
            + low.print(lowPercent)
            + ") must be less than "
            + high.name()
            + " ("
            + high.print(highPercent)
            + ")");
  }
}
