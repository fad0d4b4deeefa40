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
 * The largest of what a server holds, for the people who watch the cluster. One look at every
 * shuffle, a few microseconds each hundred; the report itself is bounded at some 40 KB.
 */
public final class StoredDataReport {
  /** Most applications, and most shuffles, that are named. */
  static final int MOST = 256;

  private StoredDataReport() {}

  private record Held(ShuffleLog log, long bytes) {}

  public static StoredData of(ShuffleStore store) {
    Map<String, ApplicationLoad.Builder> applications = new HashMap<>();
    PriorityQueue<Held> shuffles = new PriorityQueue<>(Comparator.comparingLong(Held::bytes));
    for (ShuffleLog log : store.logs()) {
      Held held = new Held(log, log.storedBytes());
      ApplicationLoad.Builder application =
          applications.computeIfAbsent(
              log.key().application(), name -> ApplicationLoad.newBuilder().setApplication(name));
      application
          .setShuffles(application.getShuffles() + 1)
          .setPartitions(application.getPartitions() + log.partitionCount())
          .setStoredBytes(application.getStoredBytes() + held.bytes());
      shuffles.add(held);
      if (shuffles.size() > MOST) {
        shuffles.remove();
      }
    }
    StoredData.Builder data = StoredData.newBuilder();
    applications.values().stream()
        .sorted(Comparator.comparingLong(ApplicationLoad.Builder::getStoredBytes).reversed())
        .limit(MOST)
        .forEach(data::addApplications);
    List<Held> largest =
        shuffles.stream().sorted(Comparator.comparingLong(Held::bytes).reversed()).toList();
    largest.forEach(held -> data.addShuffles(load(held)));
    return data.build();
  }

  private static ShuffleLoad load(Held held) {
    ShuffleLog log = held.log();
    return ShuffleLoad.newBuilder()
        .setShuffle(
            ShuffleId.newBuilder()
                .setApplication(log.key().application())
                .setShuffle(log.key().shuffle()))
        .setStoredBytes(held.bytes())
        .setPartitions(log.partitionCount())
        .setLargestPartitionBytes(log.largestPartitionBytes())
        .build();
  }
}
