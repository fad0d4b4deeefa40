package io.sluice.coordinator.state;

import io.sluice.coordinator.cluster.Server;
import io.sluice.proto.Adoption;
import io.sluice.proto.DiskState;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.ServerState;
import io.sluice.proto.ShuffleMove;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * Decides which server adopts the directory of a lost server on a remote tier that both share, and
 * which reports of adopted data are valid. Pure functions.
 */
final class AdoptionDecisions {
  private static final String REMOTE = "REMOTE";

  /** Maximum number of directories in one reply. */
  static final int MAX_ORDERS = 16;

  private AdoptionDecisions() {}

  /**
   * Returns the directories that the sender of a heartbeat adopts. All directories of lost servers
   * that no live server serves are spread evenly over the live servers, by a hash of both names, so
   * that a repeated heartbeat gets the same answer.
   */
  static List<Adoption> orders(ClusterView view, HeartbeatRequest request) {
    Optional<DiskState> tier = tier(request.getLoad().getDisksList());
    if (tier.isEmpty() || !isCandidate(request.getState(), tier.get())) {
      return List.of();
    }
    String name = request.getServer().getName();
    List<Adoption> orders = new ArrayList<>();
    Set<String> served = null;
    for (Server lost : view.servers().all()) {
      if (lost.liveness() != Server.Liveness.LOST || lost.name().equals(name)) {
        continue;
      }
      for (String directory : directories(lost, tier.get().getPath())) {
        if (served == null) {
          served = served(view);
          served.addAll(tier.get().getDirectoriesList());
        }
        if (orders.size() < MAX_ORDERS
            && !served.contains(directory)
            && name.equals(adopter(view, lost, tier.get().getPath(), directory))) {
          orders.add(Adoption.newBuilder().setServer(lost.name()).setDirectory(directory).build());
        }
      }
    }
    return orders;
  }

  /**
   * Whether the sender of a heartbeat serves a directory that the server from which it reports a
   * move had when it was lost, even if that server has returned since. Otherwise a server could
   * divert the readers of another one.
   */
  static boolean isValid(ClusterView view, HeartbeatRequest request, ShuffleMove move) {
    if (move.getFrom().equals(request.getServer().getName())) {
      return true;
    }
    Server from = view.servers().get(move.getFrom());
    Optional<DiskState> tier = tier(request.getLoad().getDisksList());
    return from != null
        && tier.isPresent()
        && from.lostDirectories().stream().anyMatch(tier.get().getDirectoriesList()::contains);
  }

  /** Directories that live servers serve. */
  private static Set<String> served(ClusterView view) {
    Set<String> served = new HashSet<>();
    for (Server server : view.servers().all()) {
      if (server.liveness() == Server.Liveness.LIVE) {
        tier(server.load().getDisksList())
            .ifPresent(tier -> served.addAll(tier.getDirectoriesList()));
      }
    }
    return served;
  }

  private static List<String> directories(Server server, String path) {
    return tier(server.load().getDisksList())
        .filter(tier -> tier.getPath().equals(path))
        .map(tier -> List.<String>copyOf(tier.getDirectoriesList()))
        .orElse(List.of());
  }

  /**
   * Like the target of a move, the adopter has all tags of the lost server: it gets pushes, too.
   */
  private static String adopter(ClusterView view, Server lost, String path, String directory) {
    return view.servers().all().stream()
        .filter(server -> server.liveness() == Server.Liveness.LIVE)
        .filter(server -> !view.excluded().excludes(server.id()))
        .filter(server -> server.tags().containsAll(lost.tags()))
        .filter(
            server ->
                tier(server.load().getDisksList())
                    .filter(tier -> tier.getPath().equals(path))
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
