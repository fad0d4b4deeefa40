package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.fuzz.DecoderFuzz;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CoordinatorConfigFuzzTest {
  @TempDir Path directory;

  @Test
  void aConfigurationIsRefusedOrUsable() {
    Path file = directory.resolve("coordinator.conf");
    DecoderFuzz.of("", "rss.rpc.server.port 19999\n# more\nrss.jetty.http.port = 19998\n")
        .words(
            CoordinatorConfig.SCHEMA.keys().stream()
                .map(key -> "\n" + key.name() + " ")
                .toArray(String[]::new))
        .words("\n", " ", "=", "#", ",", "true", "0", "-1", "1g", "8EiB", "10s", "0.5", "1e999")
        .refusing(ConfigException.class)
        // Unknown keys are compared with all known ones, for "did you mean".
        .allocating(16 << 20, 16 << 10)
        .run(
            input -> {
              Files.writeString(file, new String(input, StandardCharsets.UTF_8));
              ConfigSet set = ConfigReader.of(CoordinatorConfig.SCHEMA).file(file).read();
              assertThat(CoordinatorConfig.from(set)).isNotNull();
              assertThat(set.describe()).isNotNull();
            });
  }
}
