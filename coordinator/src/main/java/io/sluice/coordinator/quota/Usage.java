package io.sluice.coordinator.quota;

import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.ApplicationTable;
import io.sluice.coordinator.cluster.ExcludeList;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.cluster.ServerTable;
import io.sluice.metrics.LargestTenants;
import io.sluice.proto.ApplicationLoad;
import io.sluice.proto.ServerState;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Stored data of applications and users, from the latest heartbeats. Each server reports its 256
 * largest applications. The user of an application that is not registered with this coordinator is
 * unknown. Immutable.
 */
public final class Usage {
  public static final Usage EMPTY = new Usage(Map.of(), Map.of());

  /**
   * @param bytes bytes in memory and on disk
   * @param partitions partitions with at least one block, replicas counted
   */
  public record Amount(long bytes, long partitions) {
    static final Amount ZERO = new Amount(0, 0);

    Amount plus(Amount other) {
      return new Amount(bytes + other.bytes, partitions + other.partitions);
    }
  }

  private final Map<String, Amount> byApplication;
  private final Map<String, Amount> byUser;

  private Usage(Map<String, Amount> byApplication, Map<String, Amount> byUser) {
    this.byApplication = byApplication;
    this.byUser = byUser;
  }

  /** Sums up the reports of all servers that are not lost. */
  public static Usage of(
      ServerTable servers, ApplicationTable applications, long serverLostAfterMs, long nowMs) {
    Map<String, Amount> byApplication = new HashMap<>();
    for (Server server : servers.all()) {
      if (server.stateAt(nowMs, serverLostAfterMs, ExcludeList.empty())
          == ServerState.SERVER_LOST) {
        continue;
      }
      for (ApplicationLoad load : server.stored().getApplicationsList()) {
        byApplication.merge(
            load.getApplication(),
            new Amount(load.getStoredBytes(), load.getPartitions()),
            Amount::plus);
      }
    }
    Map<String, Amount> byUser = new HashMap<>();
    byApplication.forEach(
        (name, amount) -> {
          Application application = applications.get(name);
          if (application != null && application.state() == Application.State.LIVE) {
            byUser.merge(application.user(), amount, Amount::plus);
          }
        });
    return new Usage(byApplication, byUser);
  }

  public Amount ofApplication(String name) {
    return byApplication.getOrDefault(name, Amount.ZERO);
  }

  public Amount ofUser(String name) {
    return byUser.getOrDefault(name, Amount.ZERO);
  }

  /** Whether a server stores data of the application. */
  boolean hasData(String application) {
    return byApplication.containsKey(application);
  }

  /** Returns the applications that servers reported. */
  Set<String> applications() {
    return byApplication.keySet();
  }

  /** Returns the users with the most bytes by name, and all others as one entry. */
  public Map<String, Amount> largestUsers(int max) {
    return LargestTenants.of(byUser, max, Amount::bytes, Amount::plus);
  }
}
