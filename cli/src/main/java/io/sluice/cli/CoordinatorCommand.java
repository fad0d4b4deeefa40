package io.sluice.cli;

import io.sluice.common.config.ConfigSchema;
import io.sluice.common.config.ConfigSet;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.coordinator.CoordinatorProcess;
import java.io.IOException;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine.Command;

/** {@code sluice coordinator}. */
@Command(
    name = "coordinator",
    description = "Run a coordinator until SIGTERM or SIGINT.",
    subcommands = RestoreCommand.class,
    exitCodeList = {
      "0:stopped by a signal",
      "1:failed",
      "2:wrong usage or configuration",
      "3:Java heap exhausted"
    })
final class CoordinatorCommand extends ServiceCommand {

  @Override
  ConfigSchema schema() {
    return CoordinatorConfig.SCHEMA;
  }

  @Override
  Service start(ConfigSet config, Supplier<ConfigSet> source) throws IOException {
    CoordinatorProcess process = CoordinatorProcess.start(config, source);
    return new Service(
        "coordinator",
        Map.of("rpc.port", process.rpcPort(), "http.port", process.httpPort()),
        process);
  }
}
