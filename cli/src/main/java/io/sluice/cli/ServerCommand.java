package io.sluice.cli;

import io.sluice.common.config.ConfigSchema;
import io.sluice.common.config.ConfigSet;
import io.sluice.server.ServerConfig;
import io.sluice.server.ShuffleServerProcess;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine.Command;

/** {@code sluice server}. */
@Command(
    name = "server",
    description = "Run a shuffle server until SIGTERM, SIGINT or its decommission.",
    exitCodeList = {
      "0:stopped by a signal",
      "1:failed",
      "2:wrong usage or configuration",
      "3:Java heap exhausted",
      "80:decommissioned; do not restart"
    })
final class ServerCommand extends ServiceCommand {

  @Override
  ConfigSchema schema() {
    return ServerConfig.SCHEMA;
  }

  @Override
  Service start(ConfigSet config, Supplier<ConfigSet> source) throws IOException {
    ShuffleServerProcess process = ShuffleServerProcess.start(config, source);
    Map<String, Integer> ports = new HashMap<>();
    ports.put("rpc.port", process.rpcPort());
    ports.put("http.port", process.httpPort());
    if (process.nettyPort() != 0) {
      ports.put("netty.port", process.nettyPort());
    }
    return new Service("shuffle server", Map.copyOf(ports), process, process.decommissioned());
  }
}
