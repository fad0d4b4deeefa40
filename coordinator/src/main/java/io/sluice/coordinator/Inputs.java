package io.sluice.coordinator;

import io.sluice.common.config.ConfigSet;
import io.sluice.metrics.http.HttpTimeouts;
import java.time.Clock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * All that a coordinator takes from outside, beside its files and its network.
 *
 * @param set of {@link CoordinatorConfig#SCHEMA}
 * @param source reads the configuration again, when an operator wants it
 * @param clock the wall clock
 * @param nanoTime monotonic time, as {@link System#nanoTime}
 * @param seeds used on the state's thread only
 */
record Inputs(
    ConfigSet set,
    Supplier<ConfigSet> source,
    Clock clock,
    LongSupplier nanoTime,
    RandomGenerator seeds,
    HttpTimeouts httpTimeouts) {}
