package io.sluice.demo;

import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Option;

/** Where the data is: options of every command that runs an engine. */
final class PlaceOptions {
  @Option(
      names = "--work-dir",
      paramLabel = "DIR",
      description =
          "Where data is kept for the next time and where the processes work. Default: sluice-demo in the user's cache.")
  private Path workDirectory;

  Path workDirectory(Map<String, String> environment) {
    if (workDirectory != null) {
      return workDirectory.toAbsolutePath();
    }
    String cache = environment.get("XDG_CACHE_HOME");
    Path base =
        cache == null || cache.isBlank()
            ? Path.of(System.getProperty("user.home"), ".cache")
            : Path.of(cache);
    return base.resolve("sluice-demo").toAbsolutePath();
  }
}
