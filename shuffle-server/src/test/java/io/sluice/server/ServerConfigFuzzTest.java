package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.fuzz.ConfigFuzz;
import io.sluice.common.fuzz.DecoderFuzz;
import io.sluice.server.memory.MachineMemory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerConfigFuzzTest {
  private static final long GIB = 1L << 30;
  private static final MachineMemory MACHINE = new MachineMemory(200 * GIB, 8 * GIB, 160 * GIB);

  @TempDir Path directory;

  @Test
  void aConfigurationIsRefusedOrUsable() {
    StringBuilder every =
        new StringBuilder("rss.coordinator.quorum c:1\nrss.storage.basePath /d\n");
    ServerConfig.SCHEMA.keys().forEach(key -> every.append("# ").append(key.name()).append(" 1\n"));
    ConfigFuzz.run(
        directory.resolve("server.conf"),
        ServerConfig.SCHEMA,
        set -> ServerConfig.from(set, MACHINE, "10.0.0.1", 4),
        "rss.coordinator.quorum c:1\nrss.storage.basePath /d\n",
        "# all\nrss.coordinator.quorum=a:1,b:2\nrss.storage.basePath=/d,/e\n",
        every.toString());
  }

  @Test
  void anEpochIsRefusedOrANumber() {
    Path file = directory.resolve(EpochFile.NAME);
    DecoderFuzz.of("1795000000000\n", "1")
        .refusing(StartException.class)
        .run(
            input -> {
              Files.write(file, input);
              assertThat(EpochFile.last(List.of(directory))).isPositive();
            });
  }
}
