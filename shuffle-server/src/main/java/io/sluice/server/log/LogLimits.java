package io.sluice.server.log;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.util.HashSet;
import java.util.Set;

/** Checks whether a log accepts more blocks. Guarded by the lock of its {@link LogState}. */
final class LogLimits {
  private final LogState logState;
  private final LogConfig config;
  private final LogTotals totals;

  LogLimits(LogState logState, LogConfig config, LogTotals totals) {
    this.logState = logState;
    this.config = config;
    this.totals = totals;
  }

  /**
   * Checks a frame before it is appended, with the lock held.
   *
   * @throws SluiceException EXPIRED, NO_SPACE, BUSY
   */
  void check(BlockBatch batch) throws SluiceException {
    if (logState.state == LogState.State.EXPIRED) {
      throw logState.expired();
    }
    if (logState.state == LogState.State.UNUSED) {
      throw new SluiceException(
          StatusCode.BUSY,
          logState.key + ": the shuffle was removed while it was unused, retry the push");
    }
    int attempts = logState.attempts.count();
    if (attempts > config.maxAttempts() - batch.count()
        && countNewAttempts(batch) > config.maxAttempts() - attempts) {
      throw new SluiceException(
          StatusCode.NO_SPACE,
          logState.key
              + ": the shuffle has reached the maximum of "
              + config.maxAttempts()
              + " map attempts");
    }
    if (totals.isMetadataSpent()) {
      throw new SluiceException(
          StatusCode.NO_SPACE,
          logState.key
              + ": the server's heap limit for metadata of partitions, attempts and"
              + " runs is reached, "
              + totals.metadataBytes()
              + " bytes are in use; raise -Xmx of the server");
    }
    long room =
        Math.min(config.maxPartitions() - logState.partitionCount(), totals.partitionRoom());
    if (batch.count() > room && countNewPartitions(batch) > room) {
      throw new SluiceException(
          StatusCode.NO_SPACE,
          logState.key
              + ": the server's limit of partitions is reached, this shuffle has "
              + logState.partitionCount()
              + " partitions, all shuffles have "
              + totals.partitions());
    }
  }

  private int countNewAttempts(BlockBatch batch) {
    Set<Long> unknown = new HashSet<>();
    for (int i = 0; i < batch.count(); i++) {
      if (logState.attempts.find(batch.attempt(i)) < 0) {
        unknown.add(batch.attempt(i));
      }
    }
    return unknown.size();
  }

  private int countNewPartitions(BlockBatch batch) {
    Set<Integer> unknown = new HashSet<>();
    for (int i = 0; i < batch.count(); i++) {
      if (logState.find(batch.partition(i)) == null) {
        unknown.add(batch.partition(i));
      }
    }
    return unknown.size();
  }
}
