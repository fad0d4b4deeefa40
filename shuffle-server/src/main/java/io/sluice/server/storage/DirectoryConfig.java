package io.sluice.server.storage;

import java.nio.file.Path;
import java.util.Optional;

/**
 * A directory for run files.
 *
 * @param kind of its disk; empty: to be found out
 * @param capacityBytes most bytes to store there; 0: {@code capacityRatio} of the disk
 * @param capacityRatio share of the disk to use when no capacity is given, above 0 and at most 1
 */
public record DirectoryConfig(
    Path path, Optional<StorageKind> kind, long capacityBytes, double capacityRatio) {
  public DirectoryConfig {
    if (capacityBytes < 0 || capacityRatio <= 0 || capacityRatio > 1) {
      throw new IllegalArgumentException(
          "directory " + path + ": capacity " + capacityBytes + ", ratio " + capacityRatio);
    }
  }
}
