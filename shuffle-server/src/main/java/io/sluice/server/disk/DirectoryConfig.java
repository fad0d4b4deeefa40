package io.sluice.server.disk;

import io.sluice.common.file.FileRights;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A directory for run files.
 *
 * @param kind kind of the disk; empty: detected by the server
 * @param capacityBytes maximum bytes to store there; 0: {@code capacityRatio} of the disk
 * @param capacityRatio share of the disk to use when no capacity is given, above 0 and at most 1
 * @param reservedBytes bytes of the file system that stay free, whatever the capacity
 * @param rights permissions of run files and of their directories
 */
public record DirectoryConfig(
    Path path,
    Optional<StorageKind> kind,
    long capacityBytes,
    double capacityRatio,
    long reservedBytes,
    FileRights rights) {
  /** Without a reserve, readable by the server's user only. */
  public DirectoryConfig(
      Path path, Optional<StorageKind> kind, long capacityBytes, double capacityRatio) {
    this(path, kind, capacityBytes, capacityRatio, 0);
  }

  /** Readable by the server's user only. */
  public DirectoryConfig(
      Path path,
      Optional<StorageKind> kind,
      long capacityBytes,
      double capacityRatio,
      long reservedBytes) {
    this(path, kind, capacityBytes, capacityRatio, reservedBytes, FileRights.OWNER_ONLY);
  }

  public DirectoryConfig {
    if (capacityBytes < 0 || reservedBytes < 0 || capacityRatio <= 0 || capacityRatio > 1) {
      throw new IllegalArgumentException(
          "directory " + path + ": capacity " + capacityBytes + ", ratio " + capacityRatio);
    }
  }
}
