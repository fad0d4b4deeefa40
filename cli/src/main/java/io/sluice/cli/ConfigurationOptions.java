package io.sluice.cli;

import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.ConfigSchema;
import io.sluice.common.config.ConfigSet;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Options with the configuration of a coordinator or server. */
final class ConfigurationOptions {

  @Option(
      names = {"-c", "--conf"},
      paramLabel = "FILE",
      description =
          "Configuration file with lines 'key value' or 'key=value'. Repeatable; the last "
              + "value of a key wins.")
  private List<Path> files = new ArrayList<>();

  @Option(
      names = "-D",
      paramLabel = "KEY=VALUE",
      description = "Configuration key and value; overrides the files. Repeatable.")
  private List<String> settings = new ArrayList<>();

  /** Reads files and options; can be called again. */
  ConfigSet read(ConfigSchema schema) {
    ConfigReader reader = ConfigReader.of(schema);
    files.forEach(reader::file);
    return reader.options("-D", settings).read();
  }
}
