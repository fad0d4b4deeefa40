package io.sluice.demo;

import io.sluice.demo.driver.DriverMessage;
import io.sluice.localcluster.ClusterCounters;
import java.util.Optional;

/**
 * Comparison of one query on both sides.
 *
 * @param builtIn Spark's result with its built-in shuffle
 * @param sluice Spark's result through Sluice
 * @param difference rows that differ
 * @param servers counters of the shuffle servers during the run through Sluice; empty for an
 *     existing cluster
 */
record QueryComparison(
    DriverMessage.Result builtIn,
    DriverMessage.Result sluice,
    RowDifference difference,
    Optional<ClusterCounters> servers) {

  String query() {
    return builtIn.query();
  }

  boolean isSame() {
    return difference.isNone() && builtIn.digest().equals(sluice.digest());
  }

  /**
   * True if the query shuffled, but its data did not go through the servers. Its time is then no
   * measurement of Sluice.
   */
  boolean bypassedServers() {
    return sluice.shuffleWrittenBytes() > 0
        && servers.map(ClusterCounters::pushedBytes).filter(bytes -> bytes == 0).isPresent();
  }

  Verdict verdict() {
    if (!isSame()) {
      return Verdict.DIFFERENT;
    }
    return bypassedServers() ? Verdict.BYPASSED : Verdict.SAME;
  }
}
