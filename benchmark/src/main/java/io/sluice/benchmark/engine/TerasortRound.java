package io.sluice.benchmark.engine;

import io.sluice.demo.ProgramComparison;
import io.sluice.localcluster.YarnCpu;

/**
 * One run of terasort on each side.
 *
 * @param comparison time, output and counters
 * @param builtInCpu CPU time of YARN and containers with Hadoop's built-in shuffle
 * @param sluiceCpu CPU time of YARN and containers through Sluice
 * @param serversMs CPU time of Sluice's coordinator and servers during the Sluice run, in
 *     milliseconds
 */
record TerasortRound(
    ProgramComparison comparison, YarnCpu builtInCpu, YarnCpu sluiceCpu, long serversMs) {

  long sluiceTotalMs() {
    return sluiceCpu.totalMs() + serversMs;
  }

  double cpuRatio() {
    return (double) sluiceTotalMs() / Math.max(1, builtInCpu.totalMs());
  }

  double timeRatio() {
    return (double) comparison.sluice().elapsedMs() / Math.max(1, comparison.builtIn().elapsedMs());
  }
}
