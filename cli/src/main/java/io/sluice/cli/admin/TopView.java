package io.sluice.cli.admin;

import io.sluice.coordinator.api.Resource;
import java.time.ZoneId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Screen of {@code top}: totals, the busiest servers, the fastest growing applications. The growth
 * rate of an application is computed from its stored bytes in two consecutive snapshots. Used by
 * one thread.
 */
final class TopView {
  private static final String LOST = "SERVER_LOST";

  private final int rows;
  private final ZoneId zone;
  private Map<String, Long> storedBefore = Map.of();
  private long timeBeforeMs;

  /** State of a cluster, as reported by a coordinator. */
  record Snapshot(
      Resource.Cluster cluster,
      List<Resource.Server> servers,
      List<Resource.Application> applications) {}

  private record Growing(Resource.Application application, long bytesPerSecond, boolean known) {}

  /**
   * @param rows maximum number of servers, and of applications
   */
  TopView(int rows, ZoneId zone) {
    this.rows = rows;
    this.zone = zone;
  }

  /** Text of the next screen. */
  String show(Snapshot snapshot) {
    Resource.Cluster cluster = snapshot.cluster();
    StringBuilder text = new StringBuilder();
    text.append(FigureText.time(cluster.time(), zone))
        .append("  servers: ")
        .append(ClusterCommand.servers(cluster))
        .append('\n')
        .append("push ")
        .append(FigureText.size(cluster.traffic().pushBytesPerSecond()))
        .append("/s  fetch ")
        .append(FigureText.size(cluster.traffic().fetchBytesPerSecond()))
        .append("/s  stored ")
        .append(FigureText.size(cluster.storage().storedBytes()))
        .append("  memory ")
        .append(FigureText.percent(cluster.memory().usedBytes(), cluster.memory().capacityBytes()))
        .append("  disks ")
        .append(
            FigureText.percent(
                cluster.disks().capacityBytes() - cluster.disks().freeBytes(),
                cluster.disks().capacityBytes()))
        .append("  bad disks ")
        .append(cluster.storage().badDisks())
        .append("  fallbacks ")
        .append(cluster.totals().fallbackShuffles())
        .append("\n\n")
        .append(servers(snapshot.servers()))
        .append('\n')
        .append(applications(snapshot.applications(), cluster.time()));
    return text.toString();
  }

  private String servers(List<Resource.Server> servers) {
    List<Resource.Server> busiest =
        servers.stream()
            .sorted(
                // Servers that are not active first, then by throughput.
                Comparator.comparing((Resource.Server s) -> s.state().equals("ACTIVE"))
                    .thenComparing(Comparator.comparingLong(TopView::throughput).reversed())
                    .thenComparing(
                        Comparator.comparingLong((Resource.Server s) -> s.data().storedBytes())
                            .reversed())
                    .thenComparing(Resource.Server::name))
            .limit(rows)
            .toList();
    return new Columns<Resource.Server>()
            .column("server", Resource.Server::name)
            .column("state", Resource.Server::state)
            .column(">push/s", s -> FigureText.size(s.traffic().pushBytesPerSecond()))
            .column(">fetch/s", s -> FigureText.size(s.traffic().fetchBytesPerSecond()))
            .column(
                ">memory",
                s -> FigureText.percent(s.memory().usedBytes(), s.memory().capacityBytes()))
            .column(
                ">disks",
                s ->
                    FigureText.percent(
                        s.space().capacityBytes() - s.space().freeBytes(),
                        s.space().capacityBytes()))
            .column(">stored", s -> FigureText.size(s.data().storedBytes()))
            .column(">connections", s -> s.traffic().connections())
            .table(busiest, false)
        + more(servers.size(), busiest.size());
  }

  private static long throughput(Resource.Server server) {
    return server.state().equals(LOST)
        ? 0
        : server.traffic().pushBytesPerSecond() + server.traffic().fetchBytesPerSecond();
  }

  private String applications(List<Resource.Application> applications, long timeMs) {
    List<Resource.Application> live =
        applications.stream().filter(app -> app.state().equals("LIVE")).toList();
    long passedMs = timeMs - timeBeforeMs;
    List<Growing> growing =
        live.stream()
            .map(
                app -> {
                  Long before = storedBefore.get(app.name());
                  boolean known = before != null && passedMs > 0;
                  return new Growing(
                      app, known ? (app.storedBytes() - before) * 1000 / passedMs : 0, known);
                })
            .sorted(
                Comparator.comparingLong((Growing g) -> -g.bytesPerSecond())
                    .thenComparing(g -> -g.application().storedBytes())
                    .thenComparing(g -> g.application().name()))
            .limit(rows)
            .toList();
    Map<String, Long> stored = new HashMap<>();
    live.forEach(app -> stored.put(app.name(), app.storedBytes()));
    storedBefore = stored;
    timeBeforeMs = timeMs;
    return new Columns<Growing>()
            .column("application", g -> g.application().name())
            .column("user", g -> FigureText.orNone(g.application().user()))
            .column(">growth/s", g -> g.known() ? FigureText.size(g.bytesPerSecond()) : "-")
            .column(">stored", g -> FigureText.size(g.application().storedBytes()))
            .column(">shuffles", g -> g.application().shuffles())
            .column(">servers", g -> g.application().servers())
            .column(">fallbacks", g -> g.application().fallbacks().fallbackShuffles())
            .column(">skew", g -> FigureText.factor(g.application().skew()))
            .column(">age", g -> FigureText.span(g.application().lease().registeredAgeMs()))
            .table(growing, false)
        + more(live.size(), growing.size());
  }

  private static String more(int all, int shown) {
    return all > shown ? "and " + (all - shown) + " more\n" : "";
  }
}
