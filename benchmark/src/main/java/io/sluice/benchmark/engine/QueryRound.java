package io.sluice.benchmark.engine;

import io.sluice.demo.driver.DriverMessage;

/**
 * One run of a query on each side.
 *
 * @param pass number of the run of all queries, from 0, over all applications
 */
record QueryRound(int pass, Turn baseline, Turn candidate) {

  /**
   * One run on one side.
   *
   * @param pushedBytes bytes that the servers received
   * @param fetchedBytes bytes that the servers sent
   */
  record Turn(DriverMessage.Result result, SideCpu cpu, long pushedBytes, long fetchedBytes) {
    double seconds() {
      return result.elapsedMs() / 1000.0;
    }

    double cpuSeconds() {
      return cpu.totalMs() / 1000.0;
    }
  }

  String query() {
    return baseline.result().query();
  }

  boolean isSame() {
    return baseline.result().digest().equals(candidate.result().digest());
  }
}
