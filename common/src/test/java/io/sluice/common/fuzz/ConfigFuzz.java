package io.sluice.common.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.ConfigSchema;
import io.sluice.common.config.ConfigSet;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;

/** Fuzz test of configurations: each is refused or usable by the process. */
public final class ConfigFuzz {
  private static final String[] VALUES = {
    "\n", " ", "=", "#", ",", "true", "0", "-1", "1g", "8EiB", "10s", "0.5", "1e999"
  };

  private ConfigFuzz() {}

  /**
   * Runs the test.
   *
   * @param file file for inputs
   * @param parsed parses the configuration of the process
   * @param right valid texts
   */
  public static void run(
      Path file, ConfigSchema schema, Function<ConfigSet, ?> parsed, String... right) {
    DecoderFuzz.of(right)
        .words(schema.keys().stream().map(key -> "\n" + key.name() + " ").toArray(String[]::new))
        .words(VALUES)
        .refusing(ConfigException.class)
        // Unknown keys are compared with all known ones, for "did you mean".
        .allocating(16 << 20, 16 << 10)
        .run(
            input -> {
              Files.writeString(file, new String(input, StandardCharsets.UTF_8));
              ConfigSet set = ConfigReader.of(schema).file(file).read();
              assertThat(parsed.apply(set)).isNotNull();
              assertThat(set.describe()).isNotNull();
              assertThat(set.notices()).isNotNull();
            });
  }
}
