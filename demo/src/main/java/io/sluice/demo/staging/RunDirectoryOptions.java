package io.sluice.demo.staging;

import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options for the directory of a run and for keeping its files. */
public final class RunDirectoryOptions {
  /** Position in the help: after the options of the command. */
  private static final int ORDER = 100;

  @Option(
      names = "--work-dir",
      paramLabel = "DIR",
      order = ORDER,
      description =
          "Directory for generated data, which is kept for later runs, and for the files "
              + "of processes. Default: ~/.cache/sluice-demo.")
  private Path workDirectory;

  @Option(
      names = "--keep",
      order = ORDER,
      description = "Keep logs, settings and result rows of a successful run.")
  private boolean keep;

  /** Absolute path of the work directory; may not exist yet. */
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
