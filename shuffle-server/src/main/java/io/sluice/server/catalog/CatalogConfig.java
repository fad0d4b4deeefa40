package io.sluice.server.catalog;

import java.nio.file.Path;

/**
 * Configuration of a catalog.
 *
 * @param syncEveryChange whether each change is synced, so that it survives a crash of the machine
 * @param maxTombstones maximum number of tombstones; the oldest are dropped first
 */
public record CatalogConfig(boolean syncEveryChange, int maxTombstones) {
  public static final CatalogConfig DEFAULT = new CatalogConfig(false, 100_000);

  /** The catalog directory of a base directory. */
  public static Path directory(Path base) {
    return base.resolve("catalog");
  }

  public CatalogConfig {
    if (maxTombstones < 1) {
      throw new IllegalArgumentException("maxTombstones must be at least 1: " + maxTombstones);
    }
  }
}
