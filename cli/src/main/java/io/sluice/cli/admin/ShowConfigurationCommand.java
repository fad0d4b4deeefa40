package io.sluice.cli.admin;

import io.sluice.cli.control.CoordinatorApi;
import io.sluice.common.config.ConfigEntry;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** {@code sluice admin configuration}. */
@Command(
    name = "configuration",
    description = {
      "Print the configuration in use of every given coordinator, or of shuffle servers: keys, "
          + "values, and the file or option that set them. Secrets are hidden.",
      "With --output json, one object per line and process, with all keys."
    })
final class ShowConfigurationCommand extends ProcessCommand {
  private static final Columns<Resource.Setting> COLUMNS =
      new Columns<Resource.Setting>()
          .column("key", Resource.Setting::key)
          .column("value", setting -> FigureText.orNone(setting.value()))
          .column("source", Resource.Setting::source);

  @Option(names = "--defaults", description = "Also print keys that have their default value.")
  private boolean defaults;

  @Override
  JsonNode send(CoordinatorApi api, List<String> path) throws IOException {
    return api.get(Map.of(), path);
  }

  @Override
  String resource() {
    return "configuration";
  }

  @Override
  void print(String process, JsonNode answer, Output to) throws IOException {
    List<Resource.Setting> settings =
        CoordinatorApi.as(Resource.Configuration.class, answer).settings();
    to.line("# " + process);
    to.text(
        COLUMNS.table(
            settings.stream()
                .filter(setting -> defaults || !setting.source().equals(ConfigEntry.DEFAULT))
                .toList(),
            to.isWide()));
  }
}
