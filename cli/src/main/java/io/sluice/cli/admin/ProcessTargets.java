package io.sluice.cli.admin;

import io.sluice.cli.control.CommandFailure;
import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.Coordinators.ApiRequest;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** Options that name servers; a command without them addresses the given coordinators. */
final class ProcessTargets {
  private static final String LOST = "SERVER_LOST";

  @Option(
      names = "--server",
      split = ",",
      paramLabel = "SERVER",
      description = "Names of servers, instead of coordinators. Comma-separated or repeated.")
  private List<String> servers = new ArrayList<>();

  @Option(
      names = "--all-servers",
      description = "All servers that are not lost, instead of coordinators.")
  private boolean all;

  /** Handles the answer about a process. */
  @FunctionalInterface
  interface Handler {
    void handle(String process, JsonNode answer) throws IOException;
  }

  /**
   * Sends a request about each process; a failure does not stop the others.
   *
   * @param targets null: each given coordinator
   * @throws CommandFailure with the reason of each failure
   */
  static void each(
      ProcessTargets targets,
      Coordinators coordinators,
      ApiRequest ofCoordinator,
      Function<String, ApiRequest> ofServer,
      Handler handler)
      throws IOException {
    if (targets == null) {
      coordinators.each(
          ofCoordinator,
          false,
          (coordinator, answer) -> handler.handle(coordinator.toString(), answer));
      return;
    }
    List<IOException> failures = new ArrayList<>();
    for (String server : targets.all ? known(coordinators) : targets.servers) {
      try {
        handler.handle(server, coordinators.first(ofServer.apply(server)));
      } catch (IOException failure) {
        failures.add(failure);
      }
    }
    if (!failures.isEmpty()) {
      throw CommandFailure.ofAll(failures);
    }
  }

  private static List<String> known(Coordinators coordinators) throws IOException {
    return coordinators.first(Resource.Servers.class, "servers").servers().stream()
        .filter(server -> !server.state().equals(LOST))
        .map(Resource.Server::name)
        .toList();
  }
}
