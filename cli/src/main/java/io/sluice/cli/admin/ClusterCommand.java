package io.sluice.cli.admin;

import io.sluice.cli.TextTable;
import io.sluice.cli.control.CoordinatorApi;
import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** {@code sluice admin cluster}. */
@Command(name = "cluster", description = "Show totals of the cluster as known to a coordinator.")
final class ClusterCommand implements Callable<Integer> {
  @Mixin private QuorumOptions quorum;
  @Mixin private Output output;

  @Override
  public Integer call() throws IOException {
    try (Coordinators coordinators = new Coordinators(quorum)) {
      JsonNode answer = coordinators.first(api -> api.get("cluster"));
      if (output.isJson()) {
        output.json(answer);
      } else {
        output.text(table(CoordinatorApi.as(Resource.Cluster.class, answer)));
      }
      return 0;
    }
  }

  /** Number of servers in each state that occurs. */
  static String servers(Resource.Cluster cluster) {
    String states =
        cluster.serversByState().entrySet().stream()
            .filter(state -> state.getValue() > 0)
            .map((Map.Entry<String, Integer> state) -> state.getValue() + " " + state.getKey())
            .collect(Collectors.joining(", "));
    return states.isEmpty() ? "none" : states;
  }

  private static TextTable table(Resource.Cluster cluster) {
    TextTable table = new TextTable("", "");
    table.row("servers", servers(cluster));
    table.row("applications", cluster.totals().applications());
    table.row("shuffles assigned", cluster.totals().shufflesAssigned());
    table.row("fallbacks", cluster.totals().fallbackShuffles());
    table.row("stored", FigureText.size(cluster.storage().storedBytes()));
    table.row(
        "memory",
        FigureText.size(cluster.memory().usedBytes())
            + " of "
            + FigureText.size(cluster.memory().capacityBytes()));
    table.row(
        "disks",
        FigureText.size(cluster.disks().freeBytes())
            + " free of "
            + FigureText.size(cluster.disks().capacityBytes())
            + ", bad "
            + cluster.storage().badDisks());
    table.row("push", FigureText.size(cluster.traffic().pushBytesPerSecond()) + "/s");
    table.row("fetch", FigureText.size(cluster.traffic().fetchBytesPerSecond()) + "/s");
    table.row("connections", cluster.traffic().connections());
    table.row(
        "coordinator",
        cluster.version()
            + ", up "
            + FigureText.span(cluster.uptimeMs())
            + (cluster.ready() ? "" : ", not yet assigning shuffles"));
    return table;
  }
}
