package io.sluice.cli;

import io.sluice.common.config.ConfigSet;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.coordinator.StateRestore;
import io.sluice.coordinator.log.Backup;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice coordinator restore}. */
@Command(
    name = "restore",
    description = {
      "Restore a backup of `sluice admin backup` into the empty data directory of a coordinator"
          + " that is not running.",
      "For a quorum, restore the same file at every coordinator of rss.coordinator.quorum, then"
          + " start them."
    })
final class RestoreCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private ConfigurationOptions configuration;

  @Parameters(paramLabel = "FILE", description = "The backup; - for standard input.")
  private String file;

  @Override
  public Integer call() throws IOException {
    ConfigSet config = configuration.read(CoordinatorConfig.SCHEMA);
    byte[] backup;
    try (InputStream in = open()) {
      backup = Backup.read(in);
    } catch (NoSuchFileException e) {
      throw new IOException(file + " does not exist", e);
    } catch (IOException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
    spec.commandLine().getOut().println("restored: " + StateRestore.restore(config, backup));
    return 0;
  }

  private InputStream open() throws IOException {
    return file.equals("-")
        ? new FileInputStream(FileDescriptor.in)
        : Files.newInputStream(Path.of(file));
  }
}
