package io.sluice.coordinator.assign;

import io.sluice.coordinator.cluster.ExcludeList;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.cluster.ServerTable;
import io.sluice.proto.ServerState;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;

/** Says which servers may be given partitions now, and why the others may not. */
public final class Eligibility {
  /** Why a server is passed over. */
  private enum Reason {
    LOST,
    EXCLUDED,
    DRAINING,
    UNHEALTHY,
    NEARLY_FULL,
    WITHOUT_TAGS,
    REFUSED_BY_CLIENT;

    String words() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /** What one shuffle asks of its servers. */
  public record Wish(List<String> requiredTags, Set<String> excludedServers) {
    /** Any server will do. */
    public static final Wish ANY = new Wish(List.of(), Set.of());
  }

  private final long serverTimeoutMs;
  private final double maxStorageUsedShare;

  public Eligibility(long serverTimeoutMs, double maxStorageUsedShare) {
    this.serverTimeoutMs = serverTimeoutMs;
    this.maxStorageUsedShare = maxStorageUsedShare;
  }

  /** The servers that may be chosen, by name. */
  public List<Server> eligible(ServerTable servers, ExcludeList excluded, Wish wish, long nowMs) {
    List<Server> eligible = new ArrayList<>(servers.size());
    for (Server server : servers.all()) {
      if (reasonAgainst(server, excluded, wish, nowMs) == null) {
        eligible.add(server);
      }
    }
    return eligible;
  }

  /** One line that accounts for every server: {@code 3 servers known: 1 lost, 2 draining}. */
  public String account(ServerTable servers, ExcludeList excluded, Wish wish, long nowMs) {
    Map<Reason, Integer> counts = new EnumMap<>(Reason.class);
    for (Server server : servers.all()) {
      Reason reason = reasonAgainst(server, excluded, wish, nowMs);
      if (reason != null) {
        counts.merge(reason, 1, Integer::sum);
      }
    }
    if (counts.isEmpty()) {
      return servers.size() + " servers known";
    }
    StringJoiner parts = new StringJoiner(", ", servers.size() + " servers known: ", "");
    counts.forEach((reason, count) -> parts.add(count + " " + reason.words()));
    return parts.toString();
  }

  private Reason reasonAgainst(Server server, ExcludeList excluded, Wish wish, long nowMs) {
    ServerState state = server.stateAt(nowMs, serverTimeoutMs, excluded);
    Reason byState =
        switch (state) {
          case ACTIVE -> null;
          case SERVER_LOST -> Reason.LOST;
          case EXCLUDED -> Reason.EXCLUDED;
          case SERVER_DRAINING -> Reason.DRAINING;
          case UNHEALTHY, SERVER_STATE_UNSPECIFIED, UNRECOGNIZED -> Reason.UNHEALTHY;
        };
    if (byState != null) {
      return byState;
    }
    if (LoadModel.storageUsedShare(server.load()) >= maxStorageUsedShare) {
      return Reason.NEARLY_FULL;
    }
    if (!server.tags().containsAll(wish.requiredTags())) {
      return Reason.WITHOUT_TAGS;
    }
    return wish.excludedServers().contains(server.name()) ? Reason.REFUSED_BY_CLIENT : null;
  }
}
