package io.sluice.benchmark.engine;

import java.time.Duration;
import java.util.Map;

/**
 * Settings that every benchmark of an engine has.
 *
 * @param rounds measured rounds, with a turn for each side
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
