package io.sluice.cli;

import io.sluice.localcluster.ClassDataArchive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sluice archive}. */
@Command(
    name = "archive",
    description = {
      "Create the class data archive of this installation, with which all commands start faster.",
      "Run it again after an update of Java. Without an archive of the same Java and jars, commands"
          + " work, but start more slowly."
    })
final class ArchiveCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path home = Path.of(property("sluice.home"));
    Path archive = Path.of(property(ClassDataArchive.PROPERTY));
    new ArchiveWriter(
            Path.of(System.getProperty("java.home"), "bin", "java"),
            System.getProperty("java.class.path"),
            home.resolve("lib/sluice.classlist"))
        .write(archive, Main.class.getName(), "--version");
    spec.commandLine()
        .getOut()
        .println("created " + archive + " (" + (Files.size(archive) >> 20) + " MiB)");
    return 0;
  }

  private static String property(String name) throws IOException {
    return Optional.ofNullable(System.getProperty(name))
        .orElseThrow(
            () ->
                new IOException(
                    "property " + name + " is not set; start the command with bin/sluice"));
  }
}
