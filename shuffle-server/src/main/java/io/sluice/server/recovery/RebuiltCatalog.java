package io.sluice.server.recovery;

import java.nio.file.Path;
import java.util.List;

/**
 * Result of a catalog rebuild.
 *
 * @param runs number of runs in the new catalog
 * @param bytes total length of their files
 * @param applications owners of the runs
 * @param problems one line for each omitted file, with the offset of the damage
 * @param tombstones number of tombstones copied from the old catalog; -1 if that was unreadable or
 *     missing
 */
public record RebuiltCatalog(
    Path directory, int runs, long bytes, int applications, List<String> problems, int tombstones) {
  public RebuiltCatalog {
    problems = List.copyOf(problems);
  }
}
