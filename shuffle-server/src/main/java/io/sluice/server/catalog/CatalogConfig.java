package io.sluice.server.catalog;

import java.nio.file.Path;

/**
 * How a catalog is kept.
 *
 * @param syncEveryChange whether each change outlives a crash of the machine from when it was made
 * @param maxTombstones forgotten shuffles that are remembered as such; the oldest go first
 */
public record CatalogConfig(boolean syncEveryChange, int maxTombstones) {
  public static final CatalogConfig DEFAULT = new CatalogConfig(false, 100_000);

  /** Where the catalog of a base directory is. */
  public static Path directory(Path base) {
    return base.resolve("catalog");
  }

  public CatalogConfig {
    if (maxTombstones < 1) {
      throw new IllegalArgumentException("tombstones must be at least 1: " + maxTombstones);
    }
  }
}
