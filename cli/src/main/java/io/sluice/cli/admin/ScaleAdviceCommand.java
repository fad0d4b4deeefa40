package io.sluice.cli.admin;

import io.sluice.cli.control.CoordinatorApi;
import io.sluice.cli.control.Coordinators;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.coordinator.api.Resource;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** {@code sluice admin scale-advice}. */
@Command(
    name = "scale-advice",
    description = "Show how many servers the present data needs, by resource.")
final class ScaleAdviceCommand implements Callable<Integer> {
  @Mixin private QuorumOptions quorum;
  @Mixin private Output output;

  @Override
  public Integer call() throws IOException {
    try (Coordinators coordinators = new Coordinators(quorum)) {
      JsonNode answer = coordinators.first(api -> api.get("scale-advice"));
      if (output.isJson()) {
        output.json(answer);
        return 0;
      }
      Resource.Scale scale = CoordinatorApi.as(Resource.Scale.class, answer);
      output.text(
          new Columns<Resource.ScaleNeed>()
              .column("resource", need -> need.resource().toLowerCase(Locale.ROOT))
              .column(">used", need -> FigureText.size(need.usedBytes()))
              .column(">one server", need -> FigureText.size(need.serverCapacityBytes()))
              .column(">used at most", need -> FigureText.percent(need.usedShareMax()))
              .column(">servers", Resource.ScaleNeed::neededServers)
              .table(scale.resources(), output.isWide()));
      output.line(
          "active servers: " + scale.activeServers() + ", needed: " + scale.neededServers());
      return 0;
    }
  }
}
