package io.sluice.cli.admin;

import io.sluice.cli.control.CoordinatorApi;
import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code sluice admin servers}. */
@Command(
    name = "servers",
    description =
        "List the shuffle servers known to a coordinator, or show one server, its disks "
            + "and its applications.")
final class ServersCommand implements Callable<Integer> {
  @Mixin private QuorumOptions quorum;
  @Mixin private Output output;

  @Parameters(
      arity = "0..1",
      paramLabel = "SERVER",
      description =
          "Name of a server: show it, its disks, and the applications whose data it stores.")
  private String server;

  @Option(
      names = "--state",
      paramLabel = "STATE",
      description =
          "List only servers in this state, such as active or excluded. Ignored with -o json.")
  private String state;

  private static final Columns<Resource.Server> COLUMNS = columns();

  static Columns<Resource.Server> columns() {
    return new Columns<Resource.Server>()
        .column("server", Resource.Server::name)
        .column("state", Resource.Server::state)
        .column(">memory", s -> size(s.memory().usedBytes()))
        .column(">of", s -> size(s.memory().capacityBytes()))
        .column(">to spill", s -> size(s.memory().pendingSpillBytes()))
        .column(">stored", s -> size(s.data().storedBytes()))
        .column(">disks", s -> healthyDisks(s) + "/" + s.disks().size())
        .wide(
            ">disk used",
            s ->
                FigureText.percent(
                    s.space().capacityBytes() - s.space().freeBytes(), s.space().capacityBytes()))
        .wide(">disk free", s -> size(s.space().freeBytes()))
        .column(">connections", s -> s.traffic().connections())
        .column(">push/s", s -> size(s.traffic().pushBytesPerSecond()))
        .column(">fetch/s", s -> size(s.traffic().fetchBytesPerSecond()))
        .wide(">merges", s -> s.data().pendingMerges())
        .wide(">assigned", s -> s.data().partitionsAssigned())
        .column(">heartbeat", s -> FigureText.span(s.heartbeatAgeMs()) + " ago")
        .wide(">rpc port", s -> s.identity().rpcPort())
        .wide(">data port", s -> s.identity().nettyPort())
        .wide(">epoch", s -> s.identity().epoch())
        .wide("zone", s -> FigureText.orNone(s.identity().zone()))
        .column("tags", s -> String.join(",", s.tags()));
  }

  private static long healthyDisks(Resource.Server server) {
    return server.disks().stream().filter(Resource.Disk::takesData).count();
  }

  @Override
  public Integer call() throws IOException {
    try (Coordinators coordinators = new Coordinators(quorum)) {
      if (server != null) {
        one(coordinators.first(api -> api.get("servers", server)));
        return 0;
      }
      JsonNode answer = coordinators.first(api -> api.get("servers"));
      if (output.isJson()) {
        output.json(answer);
        return 0;
      }
      List<Resource.Server> all = CoordinatorApi.as(Resource.Servers.class, answer).servers();
      output.text(
          COLUMNS.table(
              state == null
                  ? all
                  : all.stream()
                      .filter(s -> s.state().equals(state.toUpperCase(Locale.ROOT)))
                      .toList(),
              output.isWide()));
      return 0;
    }
  }

  private void one(JsonNode answer) throws IOException {
    if (output.isJson()) {
      output.json(answer);
      return;
    }
    Resource.ServerDetail detail = CoordinatorApi.as(Resource.ServerDetail.class, answer);
    output.text(COLUMNS.table(List.of(detail.server()), output.isWide()));
    output.line("");
    output.text(
        new Columns<Resource.Disk>()
            .column("disk", Resource.Disk::path)
            .column("kind", disk -> FigureText.orNone(disk.kind()))
            .column("health", Resource.Disk::health)
            .column("accepts data", disk -> disk.takesData() ? "yes" : "no")
            .column(">free", disk -> size(disk.freeBytes()))
            .column(">of", disk -> size(disk.capacityBytes()))
            .wide(">being written", Resource.Disk::queueDepth)
            .wide(">written", disk -> size(disk.writtenBytes()))
            .column("cause", Resource.Disk::cause)
            .table(detail.server().disks(), output.isWide()));
    output.line("");
    output.text(
        new Columns<Resource.StoredApplication>()
            .column("application", Resource.StoredApplication::application)
            .column(">shuffles", Resource.StoredApplication::shuffles)
            .column(">stored", stored -> size(stored.storedBytes()))
            .table(detail.applications(), output.isWide()));
  }

  static String size(long bytes) {
    return FigureText.size(bytes);
  }
}
