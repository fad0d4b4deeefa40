package io.sluice.benchmark.engine;

import io.sluice.demo.ProgramComparison;
import io.sluice.localcluster.YarnCpu;

/**
 * Terasort run once on each side.
 *
 * @param comparison time, output and counters
 * @param ownCpu what YARN cost with Hadoop's own shuffle
 * @param sluiceCpu what YARN cost through Sluice
 * @param serversMs CPU time of Sluice's coordinator and servers meanwhile, in milliseconds
 */
record TerasortRound(
    ProgramComparison comparison, YarnCpu ownCpu, YarnCpu sluiceCpu, long serversMs) {

  long sluiceTotalMs() {
    return sluiceCpu.totalMs() + serversMs;
  }

  double cpuRatio() {
    return (double) sluiceTotalMs() / Math.max(1, ownCpu.totalMs());
  }

  double timeRatio() {
    return (double) comparison.sluice().elapsedMs() / Math.max(1, comparison.own().elapsedMs());
  }
}
