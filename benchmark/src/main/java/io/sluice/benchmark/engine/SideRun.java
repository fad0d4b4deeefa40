package io.sluice.benchmark.engine;

import io.sluice.demo.driver.DriverMessage;

/**
 * One run of a job on one side.
 *
 * @param side built-in, sluice, or the name of a peer
 * @param cpu CPU time of the whole round
 * @param residentBytes highest resident memory of executors and servers
 */
record SideRun(String side, DriverMessage.JobDone done, SideCpu cpu, Resident residentBytes) {
  /**
   * Highest resident memory of processes since their start, in bytes; processes that have ended are
   * not included.
   */
  record Resident(long executors, long servers) {}
}
