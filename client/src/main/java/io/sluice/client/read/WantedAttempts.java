package io.sluice.client.read;

import java.util.List;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/** What an Open waits for. */
final class WantedAttempts {
  private WantedAttempts() {}

  /**
   * The attempts that are expected in every one of some partitions and not whole yet, apart from
   * those that no server is going to have: a server waits for all of them in each partition, so one
   * that leaves nothing in a partition must not be among them. None where a partition is spread
   * over servers, because no single one will have them.
   */
  static Roaring64NavigableMap of(ShuffleReadRequest request, List<PartitionVisit> visits) {
    Roaring64NavigableMap common = null;
    for (PartitionVisit visit : visits) {
      PartitionProgress progress = visit.progress();
      if (progress.order().isSpread()) {
        return new Roaring64NavigableMap();
      }
      Roaring64NavigableMap open = new Roaring64NavigableMap();
      for (int place = 0; place < progress.expected().count(); place++) {
        long attempt = progress.expected().attempt(place);
        if (!progress.received().isWhole(place)
            && !request.isLeftLocal(progress.partition(), attempt)) {
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
