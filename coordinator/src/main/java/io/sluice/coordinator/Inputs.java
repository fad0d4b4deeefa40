package io.sluice.coordinator;

import io.sluice.common.config.ConfigSet;
import io.sluice.metrics.http.HttpTimeouts;
import java.time.Clock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Configuration, clocks and random numbers of a coordinator, injected so that tests can replace
 * them.
 *
 * @param set values of {@link CoordinatorConfig#SCHEMA}
 * @param source reads the configuration again when an operator requests a reload
 * @param clock the wall clock
 * @param nanoTime monotonic time, as {@link System#nanoTime}
 * @param seeds used by the state thread only
 */
record Inputs(
    ConfigSet set,
    Supplier<ConfigSet> source,
    Clock clock,
    LongSupplier nanoTime,
    RandomGenerator seeds,
    HttpTimeouts httpTimeouts) {}
