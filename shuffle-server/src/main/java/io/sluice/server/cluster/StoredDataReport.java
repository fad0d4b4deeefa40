package io.sluice.server.cluster;

import io.sluice.proto.ApplicationLoad;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.ShuffleLoad;
import io.sluice.proto.StoredData;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * The largest applications and shuffles of a server, for monitoring. Reads every shuffle, a few
 * microseconds per hundred; the report is at most about 40 KB.
 */
public final class StoredDataReport {
  /** Maximum number of listed applications, and of listed shuffles. */
  static final int MAX_ENTRIES = 256;

  private StoredDataReport() {}

  private record StoredShuffle(ShuffleLog log, long bytes) {}

  public static StoredData of(ShuffleStore store) {
    Map<String, ApplicationLoad.Builder> applications = new HashMap<>();
    PriorityQueue<StoredShuffle> shuffles =
        new PriorityQueue<>(Comparator.comparingLong(StoredShuffle::bytes));
    for (ShuffleLog log : store.logs()) {
      StoredShuffle stored = new StoredShuffle(log, log.storedBytes());
      ApplicationLoad.Builder application =
          applications.computeIfAbsent(
              log.key().application(), name -> ApplicationLoad.newBuilder().setApplication(name));
      application
          .setShuffles(application.getShuffles() + 1)
          .setPartitions(application.getPartitions() + log.partitionCount())
          .setStoredBytes(application.getStoredBytes() + stored.bytes());
      shuffles.add(stored);
      if (shuffles.size() > MAX_ENTRIES) {
        shuffles.remove();
      }
    }
    StoredData.Builder data = StoredData.newBuilder();
    applications.values().stream()
        .sorted(Comparator.comparingLong(ApplicationLoad.Builder::getStoredBytes).reversed())
        .limit(MAX_ENTRIES)
        .forEach(data::addApplications);
    List<StoredShuffle> largest =
        shuffles.stream()
            .sorted(Comparator.comparingLong(StoredShuffle::bytes).reversed())
            .toList();
    largest.forEach(stored -> data.addShuffles(load(stored)));
    return data.build();
  }

  private static ShuffleLoad load(StoredShuffle stored) {
    ShuffleLog log = stored.log();
    return ShuffleLoad.newBuilder()
        .setShuffle(
            ShuffleId.newBuilder()
                .setApplication(log.key().application())
                .setShuffle(log.key().shuffle()))
        .setStoredBytes(stored.bytes())
        .setPartitions(log.partitionCount())
        .setLargestPartitionBytes(log.largestPartitionBytes())
        .build();
  }
}
