package io.sluice.server.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Detects the kind of disk of a directory from Linux sysfs. */
final class DiskKinds {
  private final Path devices;

  /**
   * @param devices normally {@code /sys/dev/block}
   */
  DiskKinds(Path devices) {
    this.devices = devices;
  }

  /** The kind of the disk of {@code directory}; SSD if unknown. */
  StorageKind kindOf(Path directory) {
    try {
      long device = (Long) Files.getAttribute(directory, "unix:dev");
      return kindOfDevice(major(device), minor(device));
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      return StorageKind.SSD;
    }
  }

  StorageKind kindOfDevice(long major, long minor) throws IOException {
    Path device = devices.resolve(major + ":" + minor);
    if (!Files.exists(device)) {
      return StorageKind.SSD;
    }
    Path real = device.toRealPath();
    Path rotational = real.resolve("queue/rotational");
    if (!Files.exists(rotational)) {
      // A disk partition: the parent device has the queue.
      rotational = real.resolveSibling("queue").resolve("rotational");
    }
    return Files.exists(rotational) && Files.readString(rotational).strip().equals("1")
        ? StorageKind.HDD
        : StorageKind.SSD;
  }

  // Linux's encoding of device numbers (makedev).
  private static long major(long device) {
    return ((device >>> 8) & 0xfff) | ((device >>> 32) & 0xfffff000L);
  }

  private static long minor(long device) {
    return (device & 0xff) | ((device >>> 12) & 0xffffff00L);
  }
}
