package io.sluice.benchmark.engine;

import io.sluice.demo.driver.DriverMessage;

/**
 * One job run once on each side.
 *
 * @param codec as Spark names it, or none
 */
record JobRound(
    String codec,
    DriverMessage.JobDone own,
    SideCpu ownCpu,
    DriverMessage.JobDone sluice,
    SideCpu sluiceCpu) {

  boolean isSame() {
    return own.digest().equals(sluice.digest());
  }
}
