package io.sluice.cli.admin;

import io.sluice.cli.control.CoordinatorApi;
import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.common.config.ConfigEntry;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
final class ShowConfigurationCommand implements Callable<Integer> {
  private static final Columns<Resource.Setting> COLUMNS =
      new Columns<Resource.Setting>()
          .column("key", Resource.Setting::key)
          .column("value", setting -> FigureText.orNone(setting.value()))
          .column("source", Resource.Setting::source);

  @Mixin private QuorumOptions quorum;
  @Mixin private Output output;
  @ArgGroup private ProcessTargets targets;

  @Option(names = "--defaults", description = "Also print keys that have their default value.")
  private boolean defaults;

  @Override
  public Integer call() throws IOException {
    try (Coordinators coordinators = new Coordinators(quorum)) {
      ProcessTargets.each(
          targets,
          coordinators,
          api -> api.get("configuration"),
          server -> api -> api.get("servers", server, "configuration"),
          this::print);
      return 0;
    }
  }

  private void print(String process, JsonNode answer) throws IOException {
    if (output.isJson()) {
      output.jsonLine(answer);
      return;
    }
    List<Resource.Setting> settings =
        CoordinatorApi.as(Resource.Configuration.class, answer).settings();
    output.line("# " + process);
    output.text(
        COLUMNS.table(
            settings.stream()
                .filter(setting -> defaults || !setting.source().equals(ConfigEntry.DEFAULT))
                .toList(),
            output.isWide()));
  }
}
