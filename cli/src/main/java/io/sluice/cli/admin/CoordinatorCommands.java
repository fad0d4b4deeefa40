package io.sluice.cli.admin;

import io.sluice.cli.control.CoordinatorApi;
import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Commands for the members of the quorum. */
final class CoordinatorCommands {
  private CoordinatorCommands() {}

  /** {@code sluice admin coordinators}. */
  @Command(
      name = "coordinators",
      description = "List the coordinators of the quorum, and which one leads.")
  static final class Members implements Callable<Integer> {
    private static final Columns<Resource.Coordinator> COLUMNS =
        new Columns<Resource.Coordinator>()
            .column("coordinator", Resource.Coordinator::address)
            .column("role", coordinator -> coordinator.leads() ? "LEADER" : "FOLLOWER");

    @Mixin private QuorumOptions quorum;
    @Mixin private Output output;

    @Override
    public Integer call() throws IOException {
      try (Coordinators coordinators = new Coordinators(quorum)) {
        JsonNode answer = coordinators.first(api -> api.get("coordinators"));
        if (output.isJson()) {
          output.json(answer);
        } else {
          output.text(
              COLUMNS.table(
                  CoordinatorApi.as(Resource.Coordinators.class, answer).coordinators(),
                  output.isWide()));
        }
        return 0;
      }
    }
  }

  /** {@code sluice admin add-coordinator}. */
  @Command(
      name = "add-coordinator",
      description = {
        "Add a coordinator to the quorum.",
        "It must be running, with an empty data directory, with its own address and those of all"
            + " members in rss.coordinator.quorum."
      })
  static final class Add implements Callable<Integer> {
    @Mixin private QuorumOptions quorum;
    @Mixin private Output output;

    @Parameters(paramLabel = "HOST:PORT", description = "Address as in rss.coordinator.quorum.")
    private String address;

    @Override
    public Integer call() throws IOException {
      return change(quorum, output, "PUT", address);
    }
  }

  /** {@code sluice admin remove-coordinator}. */
  @Command(
      name = "remove-coordinator",
      description = {
        "Remove a coordinator from the quorum, whether it is running or not.",
        "Stop it, and empty its data directory before it is added again."
      })
  static final class Remove implements Callable<Integer> {
    @Mixin private QuorumOptions quorum;
    @Mixin private Output output;

    @Parameters(paramLabel = "HOST:PORT", description = "Address as in rss.coordinator.quorum.")
    private String address;

    @Override
    public Integer call() throws IOException {
      return change(quorum, output, "DELETE", address);
    }
  }

  private static int change(QuorumOptions quorum, Output output, String method, String address)
      throws IOException {
    try (Coordinators coordinators = new Coordinators(quorum)) {
      JsonNode answer =
          coordinators.first(api -> api.mutate(method, List.of("coordinators", address)));
      if (output.isJson()) {
        output.jsonLine(answer);
      } else {
        output.line(CoordinatorApi.as(Resource.Done.class, answer).text());
      }
      return 0;
    }
  }
}
