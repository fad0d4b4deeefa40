package io.sluice.server.recovery;

import java.nio.file.Path;
import java.util.List;

/**
 * A catalog that was made anew.
 *
 * @param runs that it knows
 * @param bytes of their files
 * @param applications whose runs they are
 * @param problems one line for each file that it does not know, with the offset of the damage
 * @param forgottenShuffles kept from the old catalog; -1 if that could not be read, or was not
 *     there
 */
public record RebuiltCatalog(
    Path directory,
    int runs,
    long bytes,
    int applications,
    List<String> problems,
    int forgottenShuffles) {
  public RebuiltCatalog {
    problems = List.copyOf(problems);
  }
}
