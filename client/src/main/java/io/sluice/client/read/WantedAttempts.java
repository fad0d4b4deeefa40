package io.sluice.client.read;

import java.util.List;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/** Selects the map attempts that a server waits for before it replies to an Open request. */
final class WantedAttempts {
  private WantedAttempts() {}

  /**
   * Returns the attempts that are expected and incomplete in each of the partitions, without those
   * that are never pushed. A server waits for every returned attempt in each partition, so an
   * attempt without data in one of them must not be included. The result is empty if a partition is
   * spread over servers, because no single server gets all its blocks.
   */
  static Roaring64NavigableMap of(ShuffleReadRequest request, List<PartitionVisit> visits) {
    Roaring64NavigableMap common = null;
    for (PartitionVisit visit : visits) {
      PartitionProgress progress = visit.progress();
      if (progress.order().isSpread()) {
        return new Roaring64NavigableMap();
      }
      Roaring64NavigableMap open = new Roaring64NavigableMap();
      for (int attemptIndex = 0; attemptIndex < progress.expected().count(); attemptIndex++) {
        long attempt = progress.expected().attempt(attemptIndex);
        if (!progress.received().isWhole(attemptIndex)
            && !request.isNeverPushed(progress.partition(), attempt)) {
          open.addLong(attempt);
        }
      }
      if (common == null) {
        common = open;
      } else {
        common.and(open);
      }
      if (common.isEmpty()) {
        return common;
      }
    }
    return common == null ? new Roaring64NavigableMap() : common;
  }
}
