package io.sluice.server.log;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.util.HashSet;
import java.util.Set;

/** Whether a log accepts more blocks. Guarded by the lock of its {@link LogState}. */
final class LogLimits {
  private final LogState content;
  private final LogConfig config;
  private final LogTotals totals;

  LogLimits(LogState content, LogConfig config, LogTotals totals) {
    this.content = content;
    this.config = config;
    this.totals = totals;
  }

  /**
   * Checks a frame before it is appended, with the lock held.
   *
   * @throws SluiceException EXPIRED, NO_SPACE, BUSY
   */
  void check(BlockBatch batch) throws SluiceException {
    if (content.state == LogState.State.EXPIRED) {
      throw content.expired();
    }
    if (content.state == LogState.State.UNUSED) {
      throw new SluiceException(
          StatusCode.BUSY, content.key + ": the shuffle is being set up, try again");
    }
    int attempts = content.attempts.count();
    if (attempts > config.maxAttempts() - batch.count()
        && countNewAttempts(batch) > config.maxAttempts() - attempts) {
      throw new SluiceException(
          StatusCode.NO_SPACE,
          content.key + ": more than " + config.maxAttempts() + " map attempts in one shuffle");
    }
    if (totals.isMetadataSpent()) {
      throw new SluiceException(
          StatusCode.NO_SPACE,
          content.key
              + ": the server has no heap for more partitions, attempts or runs: "
              + totals.metadataBytes()
              + " bytes are taken by those it has");
    }
    long room = Math.min(config.maxPartitions() - content.partitionCount(), totals.partitionRoom());
    if (batch.count() > room && countNewPartitions(batch) > room) {
      throw new SluiceException(
          StatusCode.NO_SPACE,
          content.key
              + ": the server has no room for more partitions, this shuffle has "
              + content.partitionCount()
              + ", all have "
              + totals.partitions());
    }
  }

  private int countNewAttempts(BlockBatch batch) {
    Set<Long> unknown = new HashSet<>();
    for (int i = 0; i < batch.count(); i++) {
      if (content.attempts.find(batch.attempt(i)) < 0) {
        unknown.add(batch.attempt(i));
      }
    }
    return unknown.size();
  }

  private int countNewPartitions(BlockBatch batch) {
    Set<Integer> unknown = new HashSet<>();
    for (int i = 0; i < batch.count(); i++) {
      if (content.find(batch.partition(i)) == null) {
        unknown.add(batch.partition(i));
      }
    }
    return unknown.size();
  }
}
