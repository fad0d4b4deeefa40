package io.sluice.coordinator;

import io.sluice.common.fuzz.ConfigFuzz;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CoordinatorConfigFuzzTest {
  @TempDir Path directory;

  @Test
  void aConfigurationIsRefusedOrUsable() {
    ConfigFuzz.run(
        directory.resolve("coordinator.conf"),
        CoordinatorConfig.SCHEMA,
        CoordinatorConfig::from,
        "",
        "rss.rpc.server.port 19999\n# more\nrss.jetty.http.port = 19998\n");
  }
}
