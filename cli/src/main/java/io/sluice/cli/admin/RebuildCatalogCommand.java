package io.sluice.cli.admin;

import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.DataSize;
import io.sluice.server.ServerConfig;
import io.sluice.server.disk.DirectoryConfig;
import io.sluice.server.disk.DiskConfig;
import io.sluice.server.recovery.CatalogRebuild;
import io.sluice.server.recovery.RebuiltCatalog;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice admin rebuild-catalog}. */
@Command(
    name = "rebuild-catalog",
    description = {
      "Rebuild the catalogs of a stopped server's directories from its run files.",
      "Use it if a catalog is lost or damaged. The directories are locked meanwhile, so "
          + "the server must be stopped."
    })
final class RebuildCatalogCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = {"-c", "--conf"},
      paramLabel = "FILE",
      description =
          "Configuration file of the server: rebuild all directories of rss.storage.basePath.")
  private Path configuration;

  @Parameters(
      arity = "0..*",
      paramLabel = "DIR",
      description = "Directories as in rss.storage.basePath, without the disk kind.")
  private List<Path> directories = List.of();

  @Override
  public Integer call() throws IOException {
    List<Path> all = new ArrayList<>(directories);
    if (configuration != null) {
      DiskConfig.from(ConfigReader.of(ServerConfig.SCHEMA).file(configuration).read())
          .directories()
          .stream()
          .map(DirectoryConfig::path)
          .forEach(all::add);
    }
    if (all.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "a directory or --conf FILE is missing");
    }
    String owner = "sluice admin rebuild-catalog, pid " + ProcessHandle.current().pid();
    for (Path directory : all) {
      print(new CatalogRebuild(directory, owner).rebuild());
    }
    return 0;
  }

  private void print(RebuiltCatalog rebuilt) {
    PrintWriter out = spec.commandLine().getOut();
    for (String problem : rebuilt.problems()) {
      out.printf("%s: skipped: %s%n", rebuilt.directory(), problem);
    }
    out.printf(
        "%s: new catalog of %d runs, %s, of %d applications; %d files skipped%s; %s%n",
        rebuilt.directory(),
        rebuilt.runs(),
        new DataSize(rebuilt.bytes()),
        rebuilt.applications(),
        rebuilt.problems().size(),
        rebuilt.problems().isEmpty() ? "" : ", which the next start of the server deletes",
        rebuilt.tombstones() < 0
            ? "deleted shuffles are unknown, because no old catalog could be read"
            : rebuilt.tombstones() + " records of deleted shuffles copied from the old catalog");
    out.flush();
  }
}
