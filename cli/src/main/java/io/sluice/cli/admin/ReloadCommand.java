package io.sluice.cli.admin;

import io.sluice.cli.control.CoordinatorApi;
import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
  @Mixin private QuorumOptions quorum;
  @Mixin private Output output;

  @ArgGroup private ProcessTargets targets;

  @Override
  public Integer call() throws IOException {
    try (Coordinators coordinators = new Coordinators(quorum)) {
      ProcessTargets.each(
          targets,
          coordinators,
          api -> api.mutate("POST", List.of("reload")),
          server -> api -> api.mutate("POST", List.of("servers", server, "reload")),
          this::print);
      return 0;
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
