package io.sluice.benchmark.engine;

import io.sluice.demo.driver.DriverMessage;
import java.util.List;

/**
 * One run of a job on each side.
 *
 * @param codec compression codec as in Spark, or none
 * @param sides built-in, Sluice, then peers
 */
record JobRound(String codec, List<SideRun> sides) {
  JobRound {
    sides = List.copyOf(sides);
  }

  DriverMessage.JobDone builtIn() {
    return sides.get(0).done();
  }

  SideCpu builtInCpu() {
    return sides.get(0).cpu();
  }

  DriverMessage.JobDone sluice() {
    return sides.get(1).done();
  }

  SideCpu sluiceCpu() {
    return sides.get(1).cpu();
  }

  /** True if all sides read the same rows. */
  boolean isSame() {
    return sides.stream().allMatch(side -> side.done().digest().equals(builtIn().digest()));
  }
}
