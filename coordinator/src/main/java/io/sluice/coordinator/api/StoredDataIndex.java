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

/** What the servers that are not lost hold, by application and by shuffle. Immutable. */
final class StoredDataIndex {
  /** Of one application on one server. */
  record OfApplication(Server server, ApplicationLoad load) {}

  /** Of one shuffle on one server. */
  record OfShuffle(Server server, ShuffleLoad load) {}

  private final Map<String, List<OfApplication>> applications = new HashMap<>();
  private final Map<String, TreeMap<Integer, List<OfShuffle>>> shuffles = new HashMap<>();

  /**
   * @param wanted names of applications to look at
   */
  StoredDataIndex(
      ClusterView view, ServerTableConfig policy, long nowMs, Predicate<String> wanted) {
    for (Server server : view.servers().all()) {
      if (server.stateAt(nowMs, policy.lostAfterMs(), view.excluded()) == ServerState.SERVER_LOST) {
        continue;
      }
      for (ApplicationLoad load : server.held().getApplicationsList()) {
        if (wanted.test(load.getApplication())) {
          applications
              .computeIfAbsent(load.getApplication(), name -> new ArrayList<>())
              .add(new OfApplication(server, load));
        }
      }
      for (ShuffleLoad load : server.held().getShufflesList()) {
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

  /** By number of the shuffle. */
  Map<Integer, List<OfShuffle>> shuffles(String application) {
    return shuffles.getOrDefault(application, new TreeMap<>());
  }

  /** Largest partition over the mean written one, or null if that says nothing. */
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
