package io.sluice.demo.staging;

import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Option;

/** Where a run keeps its files, and for how long: options of every command that runs an engine. */
public final class PlaceOptions {
  /** Behind the options of the command itself. */
  private static final int ORDER = 100;

  @Option(
      names = "--work-dir",
      paramLabel = "DIR",
      order = ORDER,
      description =
          "Where data is kept for the next time and where the processes work. Default: sluice-demo in the user's cache.")
  private Path workDirectory;

  @Option(
      names = "--keep",
      order = ORDER,
      description = "Keep the logs, settings and result rows of the run.")
  private boolean keep;

  /** Absolute; may not exist yet. */
  public Path workDirectory(Map<String, String> environment) {
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

  /** Whether logs and settings of a successful run are kept. */
  public boolean keep() {
    return keep;
  }
}
