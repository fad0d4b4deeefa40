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

/** Decides which servers may get new partitions, and gives the reasons for all others. */
public final class Eligibility {
  /** Reason why a server is not eligible. */
  private enum Reason {
    LOST,
    EXCLUDED,
    DRAINING,
    UNHEALTHY,
    NEARLY_FULL,
    WITHOUT_TAGS,
    REFUSED_BY_CLIENT;

    String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /** Requirements of one shuffle for its servers. */
  public record Requirements(List<String> requiredTags, Set<String> excludedServers) {
    /** Any server is accepted. */
    public static final Requirements NONE = new Requirements(List.of(), Set.of());
  }

  private final long serverTimeoutMs;
  private final double maxStorageUsedShare;

  public Eligibility(long serverTimeoutMs, double maxStorageUsedShare) {
    this.serverTimeoutMs = serverTimeoutMs;
    this.maxStorageUsedShare = maxStorageUsedShare;
  }

  /** Returns the eligible servers, by name. */
  public List<Server> eligible(
      ServerTable servers, ExcludeList excluded, Requirements requirements, long nowMs) {
    List<Server> eligible = new ArrayList<>(servers.size());
    for (Server server : servers.all()) {
      if (ineligibleReason(server, excluded, requirements, nowMs) == null) {
        eligible.add(server);
      }
    }
    return eligible;
  }

  /**
   * Returns the servers of a zone.
   *
   * @param zone empty: any zone
   * @return all of the servers if none is in the zone
   */
  public static List<Server> preferring(String zone, List<Server> eligible) {
    List<Server> near =
        zone.isEmpty()
            ? List.of()
            : eligible.stream().filter(server -> server.zone().equals(zone)).toList();
    return near.isEmpty() ? eligible : near;
  }

  /**
   * Returns one line with the reasons of all servers: {@code 3 servers known: 1 lost, 2 draining}.
   */
  public String summary(
      ServerTable servers, ExcludeList excluded, Requirements requirements, long nowMs) {
    Map<Reason, Integer> counts = new EnumMap<>(Reason.class);
    for (Server server : servers.all()) {
      Reason reason = ineligibleReason(server, excluded, requirements, nowMs);
      if (reason != null) {
        counts.merge(reason, 1, Integer::sum);
      }
    }
    if (counts.isEmpty()) {
      return servers.size() + " servers known";
    }
    StringJoiner parts = new StringJoiner(", ", servers.size() + " servers known: ", "");
    counts.forEach((reason, count) -> parts.add(count + " " + reason.text()));
    return parts.toString();
  }

  private Reason ineligibleReason(
      Server server, ExcludeList excluded, Requirements requirements, long nowMs) {
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
    if (!server.tags().containsAll(requirements.requiredTags())) {
      return Reason.WITHOUT_TAGS;
    }
    return requirements.excludedServers().contains(server.name()) ? Reason.REFUSED_BY_CLIENT : null;
  }
}
