package io.sluice.cli;

import io.sluice.common.config.ConfigSchema;
import io.sluice.common.config.ConfigSet;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Base of {@code coordinator} and {@code server}: configuration, ready file, clean stop. */
abstract class ServiceCommand implements Callable<Integer> {

  @Mixin private ConfigurationOptions configuration;

  @Option(
      names = "--ready-file",
      paramLabel = "FILE",
      description =
          "File that is written when the process accepts connections; contains pid and "
              + "ports as properties.")
  private Path readyFile;

  @Option(
      names = "--check",
      description = "Check the configuration, log the values that are set, and exit.")
  private boolean checkOnly;

  abstract ConfigSchema schema();

  /**
   * Starts the service and returns it when it accepts connections.
   *
   * @param source reads the configuration again: the same files and options
   */
  abstract Service start(ConfigSet config, Supplier<ConfigSet> source) throws Exception;

  private ConfigSet read() {
    return configuration.read(schema());
  }

  @Override
  public Integer call() throws Exception {
    ConfigSet config = read();
    Logger log = LoggerFactory.getLogger(getClass());
    config.notices().forEach(notice -> log.warn("Configuration notice: {}", notice));
    if (checkOnly) {
      log.info("Configuration is valid: {}", config.describe());
      return 0;
    }
    NettyPool.configure();
    ServiceRunner runner = new ServiceRunner(() -> start(config, this::read), readyFile);
    return runner.run();
  }
}
