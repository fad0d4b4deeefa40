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
 * What applications and users had at one moment, as servers reported it: each names the 256
 * applications that it holds most of. Of an application that this coordinator has not registered
 * the user is not known. Immutable.
 */
public final class Usage {
  public static final Usage NOTHING = new Usage(Map.of(), Map.of());

  /**
   * @param bytes in memory and on disk
   * @param partitions with at least one block, copies counted
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

  /** Adds up what the servers say that are not lost. */
  public static Usage of(
      ServerTable servers, ApplicationTable applications, long serverLostAfterMs, long nowMs) {
    Map<String, Amount> byApplication = new HashMap<>();
    for (Server server : servers.all()) {
      if (server.stateAt(nowMs, serverLostAfterMs, ExcludeList.empty())
          == ServerState.SERVER_LOST) {
        continue;
      }
      for (ApplicationLoad load : server.held().getApplicationsList()) {
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

  /** Whether a server holds anything of the application. */
  boolean holds(String application) {
    return byApplication.containsKey(application);
  }

  /** Applications that servers named. */
  Set<String> applications() {
    return byApplication.keySet();
  }

  /** The users with most bytes by name, the others together. */
  public Map<String, Amount> largestUsers(int most) {
    return LargestTenants.of(byUser, most, Amount::bytes, Amount::plus);
  }
}
