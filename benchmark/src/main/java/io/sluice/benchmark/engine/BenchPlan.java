package io.sluice.benchmark.engine;

import java.time.Duration;
import java.util.Map;

/**
 * Settings of all benchmarks that compare an engine's built-in shuffle with Sluice.
 *
 * @param rounds number of measured rounds; each runs both sides once
 * @param jobTimeout maximum time of one job
 * @param conf configuration of the jobs of both sides
 * @param keep whether logs and settings are kept
 */
record BenchPlan(
    int rounds, SluiceSide sluice, Duration jobTimeout, Map<String, String> conf, boolean keep) {
  BenchPlan {
    conf = Map.copyOf(conf);
  }
}
