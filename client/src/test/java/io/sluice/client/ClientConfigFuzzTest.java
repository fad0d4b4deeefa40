package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.fuzz.DecoderFuzz;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClientConfigFuzzTest {
  @Test
  void rejectsAnInvalidPathAndNamesItsKey() {
    ConfigSet set =
        ConfigSet.of(ClientConfig.SCHEMA, Map.of("rss.security.user.secret.file", "/a\0b"));
    assertThatThrownBy(() -> ClientConfig.from(set))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("rss.security.user.secret.file is not a path");
  }

  @Test
  void settingsOfAJobAreRejectedOrUsable() {
    DecoderFuzz.of("spark.rss.coordinator.quorum c:1\n", "spark.rss.coordinator.quorum a:1,b:2\n")
        .words(
            ClientConfig.SCHEMA.keys().stream()
                .map(key -> "\nspark." + key.name() + " ")
                .toArray(String[]::new))
        .words("\n", " ", "=", ",", "true", "0", "-1", "1g", "8EiB", "10s", "0.5", "1e999")
        .refusing(ConfigException.class)
        // Unknown keys are compared with all known ones, for suggestions.
        .allocating(16 << 20, 16 << 10)
        .run(
            input -> {
              Map<String, String> settings = new LinkedHashMap<>();
              for (String line : new String(input, StandardCharsets.UTF_8).split("\n", -1)) {
                String[] pair = line.split(" ", 2);
                settings.put(pair[0], pair.length == 2 ? pair[1] : "");
              }
              ConfigSet set =
                  ConfigReader.of(ClientConfig.SCHEMA)
                      .enginePrefix("spark.")
                      .values("job", settings)
                      .read();
              assertThat(ClientConfig.from(set)).isNotNull();
              assertThat(set.describe()).isNotNull();
            });
  }
}
