package io.sluice.benchmark.engine;

import io.sluice.demo.driver.DriverMessage;

/**
 * One run of a job on each side.
 *
 * @param codec compression codec as in Spark, or none
 */
record JobRound(
    String codec,
    DriverMessage.JobDone builtIn,
    SideCpu builtInCpu,
    DriverMessage.JobDone sluice,
    SideCpu sluiceCpu) {

  boolean isSame() {
    return builtIn.digest().equals(sluice.digest());
  }
}
