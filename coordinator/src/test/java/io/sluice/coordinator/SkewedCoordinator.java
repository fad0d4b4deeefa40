package io.sluice.coordinator;

import io.sluice.common.config.ConfigSet;
import io.sluice.metrics.http.HttpTimeouts;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** Starts coordinators whose wall clock is wrong. */
public final class SkewedCoordinator {
  private SkewedCoordinator() {}

  /**
   * Starts a coordinator that cannot reload its configuration.
   *
   * @param offset of its wall clock from the clock of the machine
   */
  public static CoordinatorProcess start(ConfigSet set, Duration offset) throws IOException {
    return CoordinatorProcess.start(
        new Inputs(
            set,
            () -> set,
            Clock.offset(Clock.systemUTC(), offset),
            System::nanoTime,
            RandomGenerator.of("L64X128MixRandom"),
            HttpTimeouts.DEFAULT));
  }
}
