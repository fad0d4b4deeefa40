package io.sluice.demo;

import io.sluice.demo.driver.DriverMessage;
import io.sluice.localcluster.ClusterCounters;
import java.util.Optional;

/**
 * One query on both sides.
 *
 * @param own what Spark said of it with its own shuffle
 * @param sluice what Spark said of it through Sluice
 * @param difference what the results do not share
 * @param servers what the shuffle servers counted while it ran through Sluice; empty if they are
 *     not the demo's own
 */
record QueryComparison(
    DriverMessage.Result own,
    DriverMessage.Result sluice,
    RowDifference difference,
    Optional<ClusterCounters> servers) {

  String query() {
    return own.query();
  }

  boolean isSame() {
    return difference.isNone() && own.digest().equals(sluice.digest());
  }

  /**
   * Whether the query shuffled, but its bytes did not go through the servers: then its time says
   * nothing of Sluice.
   */
  boolean wentAround() {
    return sluice.shuffleWrittenBytes() > 0
        && servers.map(ClusterCounters::pushedBytes).filter(bytes -> bytes == 0).isPresent();
  }

  Verdict verdict() {
    if (!isSame()) {
      return Verdict.DIFFERENT;
    }
    return wentAround() ? Verdict.AROUND : Verdict.SAME;
  }
}
