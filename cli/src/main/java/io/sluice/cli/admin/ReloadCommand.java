package io.sluice.cli.admin;

import io.sluice.cli.control.CommandFailure;
import io.sluice.cli.control.CoordinatorApi;
import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** {@code sluice admin reload}. */
@Command(
    name = "reload",
    description = {
      "Make every given coordinator, or shuffle servers, read their configuration files again.",
      "Reloadable keys (docs/configuration.md) take effect; other changed keys are listed. "
          + "An invalid file"
          + " changes nothing."
    })
final class ReloadCommand implements Callable<Integer> {
  private static final String LOST = "SERVER_LOST";

  @Mixin private QuorumOptions quorum;
  @Mixin private Output output;

  @ArgGroup private Targets targets;

  /** Servers to reload; without these options, coordinators are reloaded. */
  static final class Targets {
    @Option(
        names = "--server",
        split = ",",
        paramLabel = "SERVER",
        description =
            "Names of servers to reload instead of coordinators. Comma-separated or repeated.")
    private List<String> servers = new ArrayList<>();

    @Option(
        names = "--all-servers",
        description = "Reload all servers that are not lost, instead of coordinators.")
    private boolean all;
  }

  @Override
  public Integer call() throws IOException {
    try (Coordinators coordinators = new Coordinators(quorum)) {
      if (targets == null) {
        coordinators.each(
            api -> api.mutate("POST", List.of("reload")),
            false,
            (coordinator, answer) -> print(coordinator.toString(), answer));
      } else {
        reload(coordinators, targets.all ? known(coordinators) : targets.servers);
      }
      return 0;
    }
  }

  private static List<String> known(Coordinators coordinators) throws IOException {
    return coordinators.first(Resource.Servers.class, "servers").servers().stream()
        .filter(server -> !server.state().equals(LOST))
        .map(Resource.Server::name)
        .toList();
  }

  private void reload(Coordinators coordinators, List<String> servers) throws IOException {
    List<IOException> failures = new ArrayList<>();
    for (String server : servers) {
      try {
        print(
            server,
            coordinators.first(api -> api.mutate("POST", List.of("servers", server, "reload"))));
      } catch (IOException failure) {
        failures.add(failure);
      }
    }
    if (!failures.isEmpty()) {
      throw CommandFailure.ofAll(failures);
    }
  }

  private void print(String process, JsonNode answer) throws IOException {
    if (output.isJson()) {
      output.jsonLine(answer);
      return;
    }
    Resource.Reload reload = CoordinatorApi.as(Resource.Reload.class, answer);
    reload.applied().forEach(change -> output.line(process + ": " + text(change)));
    reload
        .restartNeeded()
        .forEach(change -> output.line(process + ": " + text(change) + " needs a restart"));
    if (reload.applied().isEmpty() && reload.restartNeeded().isEmpty()) {
      output.line(process + ": no changes");
    }
  }

  private static String text(Resource.Change change) {
    return change.key()
        + ": "
        + FigureText.orNone(change.from())
        + " -> "
        + FigureText.orNone(change.to());
  }
}
