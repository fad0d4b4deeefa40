package io.sluice.coordinator.api;

import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.state.ClusterView;
import io.sluice.proto.ApplicationLoad;
import io.sluice.proto.ServerState;
import io.sluice.proto.ShuffleLoad;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Stored data of all servers that are not lost, by application and by shuffle. Immutable. */
final class StoredDataIndex {
  /** Data of one application on one server. */
  record OfApplication(Server server, ApplicationLoad load) {}

  /** Data of one shuffle on one server. */
  record OfShuffle(Server server, ShuffleLoad load) {}

  private final Map<String, List<OfApplication>> applications = new HashMap<>();
  private final Map<String, TreeMap<Integer, List<OfShuffle>>> shuffles = new HashMap<>();

  /**
   * @param wanted filter of application names
   */
  StoredDataIndex(
      ClusterView view, ServerTableConfig policy, long nowMs, Predicate<String> wanted) {
    for (Server server : view.servers().all()) {
      if (server.stateAt(nowMs, policy.lostAfterMs(), view.excluded()) == ServerState.SERVER_LOST) {
        continue;
      }
      for (ApplicationLoad load : server.stored().getApplicationsList()) {
        if (wanted.test(load.getApplication())) {
          applications
              .computeIfAbsent(load.getApplication(), name -> new ArrayList<>())
              .add(new OfApplication(server, load));
        }
      }
      for (ShuffleLoad load : server.stored().getShufflesList()) {
        String name = load.getShuffle().getApplication();
        if (wanted.test(name)) {
          shuffles
              .computeIfAbsent(name, unused -> new TreeMap<>())
              .computeIfAbsent(load.getShuffle().getShuffle(), unused -> new ArrayList<>())
              .add(new OfShuffle(server, load));
        }
      }
    }
  }

  List<OfApplication> application(String name) {
    return applications.getOrDefault(name, List.of());
  }

  /** Returns the data of an application by shuffle number. */
  Map<Integer, List<OfShuffle>> shuffles(String application) {
    return shuffles.getOrDefault(application, new TreeMap<>());
  }

  /**
   * Size of the largest partition divided by the mean size of written partitions; null if unknown.
   */
  static Double skew(List<OfShuffle> parts) {
    long bytes = 0;
    long partitions = 0;
    long largest = 0;
    for (OfShuffle part : parts) {
      bytes += part.load().getStoredBytes();
      partitions += part.load().getPartitions();
      largest = Math.max(largest, part.load().getLargestPartitionBytes());
    }
    if (bytes == 0 || partitions < 2 || largest == 0) {
      return null;
    }
    return Math.round(100.0 * largest * partitions / bytes) / 100.0;
  }
}
