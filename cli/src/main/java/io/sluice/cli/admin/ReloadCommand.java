package io.sluice.cli.admin;

import io.sluice.cli.control.CoordinatorApi;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
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
final class ReloadCommand extends ProcessCommand {
  @Override
  JsonNode send(CoordinatorApi api, List<String> path) throws IOException {
    return api.mutate("POST", path);
  }

  @Override
  String resource() {
    return "reload";
  }

  @Override
  void print(String process, JsonNode answer, Output to) throws IOException {
    Resource.Reload reload = CoordinatorApi.as(Resource.Reload.class, answer);
    reload.applied().forEach(change -> to.line(process + ": " + text(change)));
    reload
        .restartNeeded()
        .forEach(change -> to.line(process + ": " + text(change) + " needs a restart"));
    if (reload.applied().isEmpty() && reload.restartNeeded().isEmpty()) {
      to.line(process + ": no changes");
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
