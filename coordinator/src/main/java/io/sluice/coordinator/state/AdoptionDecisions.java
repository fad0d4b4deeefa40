package io.sluice.coordinator.state;

import io.sluice.coordinator.cluster.RemoteDirectories;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.proto.Adoption;
import io.sluice.proto.DiskState;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.ServerState;
import io.sluice.proto.ShuffleMove;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * Decides which server adopts a directory on a remote tier that its own server no longer serves,
 * and which reports of adopted data are valid. Pure functions.
 */
final class AdoptionDecisions {
  private static final String REMOTE = "REMOTE";

  /** Maximum number of directories in one reply. */
  static final int MAX_ORDERS = 16;

  private final ServerTableConfig servers;

  AdoptionDecisions(ServerTableConfig servers) {
    this.servers = servers;
  }

  /**
   * Returns the directories that the sender of a heartbeat adopts. All directories that no live
   * server serves are spread evenly over the live servers, by a hash of both names, so that a
   * repeated heartbeat gets the same answer.
   */
  List<Adoption> orders(ClusterView view, HeartbeatRequest request, long nowMs) {
    Optional<DiskState> tier = tier(request.getLoad().getDisksList());
    if (tier.isEmpty() || !isCandidate(request.getState(), tier.get())) {
      return List.of();
    }
    String name = request.getServer().getName();
    String path = tier.get().getPath();
    List<Adoption> orders = new ArrayList<>();
    Set<String> served = null;
    for (RemoteDirectories each : view.remoteDirectories().all()) {
      if (each.server().equals(name) || !each.path().equals(path)) {
        continue;
      }
      for (String directory : abandoned(view, each, nowMs)) {
        if (served == null) {
          served = served(view, name);
          served.addAll(tier.get().getDirectoriesList());
        }
        if (orders.size() < MAX_ORDERS
            && !served.contains(directory)
            && name.equals(adopter(view, each, directory))) {
          orders.add(
              Adoption.newBuilder().setServer(each.server()).setDirectory(directory).build());
        }
      }
    }
    return orders;
  }

  /** Returns the changes of directories that a heartbeat reports. */
  List<MetadataRecord> changes(ClusterView view, HeartbeatRequest request, long nowMs) {
    RemoteDirectories before = view.remoteDirectories().of(request.getServer().getName());
    Optional<DiskState> tier = tier(request.getLoad().getDisksList());
    if (before.isEmpty()
        && (tier.isEmpty() || view.remoteDirectories().size() >= servers.maxServers())) {
      return List.of();
    }
    RemoteDirectories reported =
        before.reporting(
            tier.map(DiskState::getPath).orElse(before.path()),
            request.getTagsList().stream().distinct().sorted().toList(),
            tier.map(found -> List.<String>copyOf(found.getDirectoriesList())).orElse(List.of()));
    RemoteDirectories served = request.getLeaving() ? reported.left() : reported;
    Set<String> empty = tier.map(found -> empty(view, served, found)).orElse(Set.of());
    RemoteDirectories after = served.without(empty);
    if (after.equals(before)) {
      return List.of();
    }
    List<MetadataRecord> records = new ArrayList<>();
    records.add(new LoggedChange.RemoteDirectoriesChanged(after.changedAt(nowMs)));
    Set<String> added = new HashSet<>(reported.current());
    before.current().forEach(added::remove);
    for (RemoteDirectories each : view.remoteDirectories().all()) {
      if (!each.server().equals(after.server()) && each.path().equals(after.path())) {
        RemoteDirectories left = adoptedFrom(view, each, added, nowMs).without(empty);
        if (!left.equals(each)) {
          records.add(new LoggedChange.RemoteDirectoriesChanged(left.changedAt(nowMs)));
        }
      }
    }
    return records;
  }

  /** Directories without files that a server had, and that neither it nor another one serves. */
  private static Set<String> empty(
      ClusterView view, RemoteDirectories directories, DiskState tier) {
    Set<String> empty = new HashSet<>(tier.getEmptyDirectoriesList());
    directories.current().forEach(empty::remove);
    empty.retainAll(directories.former());
    if (!empty.isEmpty()) {
      empty.removeAll(served(view, directories.server()));
    }
    return empty;
  }

  /** The directories of a server after another one has added some to its own. */
  private RemoteDirectories adoptedFrom(
      ClusterView view, RemoteDirectories directories, Set<String> added, long nowMs) {
    if (!isGone(view, directories.server(), nowMs)) {
      return directories;
    }
    Set<String> adopted = new LinkedHashSet<>(directories.current());
    adopted.retainAll(added);
    return directories.adopted(adopted);
  }

  /**
   * Whether the sender of a heartbeat serves a directory that the server from which it reports a
   * move had and no longer serves, or had when it was lost, even if that server has returned since.
   * Otherwise a server could divert the readers of another one.
   */
  boolean isValid(ClusterView view, HeartbeatRequest request, ShuffleMove move, long nowMs) {
    if (move.getFrom().equals(request.getServer().getName())) {
      return true;
    }
    return tier(request.getLoad().getDisksList())
        .filter(
            tier ->
                abandoned(view, view.remoteDirectories().of(move.getFrom()), nowMs).stream()
                    .anyMatch(tier.getDirectoriesList()::contains))
        .isPresent();
  }

  /**
   * Returns removals of the directories of servers that left or were lost so long ago that they are
   * forgotten, without another server that serves one.
   */
  List<MetadataRecord> expired(ClusterView view, long nowMs) {
    List<MetadataRecord> records = new ArrayList<>();
    Set<String> served = null;
    for (RemoteDirectories each : view.remoteDirectories().all()) {
      if (view.servers().get(each.server()) == null
          && nowMs - Math.max(each.changedAtMs(), view.startedAtMs()) > servers.forgetAfterMs()) {
        served = served == null ? served(view, "") : served;
        if (abandoned(view, each, nowMs).stream().noneMatch(served::contains)) {
          records.add(
              new LoggedChange.RemoteDirectoriesChanged(RemoteDirectories.none(each.server())));
        }
      }
    }
    return records;
  }

  /** Directories of a server that other servers may adopt, or have adopted. */
  private Collection<String> abandoned(
      ClusterView view, RemoteDirectories directories, long nowMs) {
    if (!isGone(view, directories.server(), nowMs)) {
      // Nothing is copied: each heartbeat asks for all servers.
      return directories.former();
    }
    Set<String> abandoned = new LinkedHashSet<>(directories.former());
    abandoned.addAll(directories.current());
    return abandoned;
  }

  /** Whether a server is lost. A coordinator that has started waits for its heartbeats first. */
  private boolean isGone(ClusterView view, String name, long nowMs) {
    Server server = view.servers().get(name);
    return server == null
        ? nowMs - view.startedAtMs() > servers.lostAfterMs()
        : server.liveness() == Server.Liveness.LOST;
  }

  /**
   * Directories that live servers serve.
   *
   * @param except a server to leave out
   */
  private static Set<String> served(ClusterView view, String except) {
    Set<String> served = new HashSet<>();
    for (Server server : view.servers().all()) {
      if (server.liveness() == Server.Liveness.LIVE && !server.name().equals(except)) {
        tier(server.load().getDisksList())
            .ifPresent(tier -> served.addAll(tier.getDirectoriesList()));
      }
    }
    return served;
  }

  /** Like the target of a move, the adopter has all tags of the server: it gets pushes, too. */
  private static String adopter(ClusterView view, RemoteDirectories directories, String directory) {
    return view.servers().all().stream()
        .filter(server -> server.liveness() == Server.Liveness.LIVE)
        .filter(server -> !view.excluded().excludes(server.id()))
        .filter(server -> !server.name().equals(directories.server()))
        .filter(server -> server.tags().containsAll(directories.tags()))
        .filter(
            server ->
                tier(server.load().getDisksList())
                    .filter(tier -> tier.getPath().equals(directories.path()))
                    .filter(tier -> isCandidate(server.reported(), tier))
                    .isPresent())
        .map(Server::name)
        .max(
            Comparator.comparingLong((String name) -> weight(name, directory))
                .thenComparing(Comparator.naturalOrder()))
        .orElse("");
  }

  private static boolean isCandidate(ServerState state, DiskState tier) {
    return state == ServerState.ACTIVE
        && tier.getHealth() == DiskState.Health.HEALTHY
        && tier.getDirectoriesCount() > 0;
  }

  private static Optional<DiskState> tier(List<DiskState> disks) {
    return disks.stream().filter(disk -> disk.getKind().equals(REMOTE)).findFirst();
  }

  private static long weight(String server, String directory) {
    CRC32C hash = new CRC32C();
    hash.update((directory + " " + server).getBytes(StandardCharsets.UTF_8));
    return hash.getValue();
  }
}
