package io.sluice.server.storage;

import io.sluice.server.catalog.CatalogConfig;
import io.sluice.server.catalog.RocksCatalog;
import io.sluice.server.catalog.RunRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The directories of a server. Immutable; the disks in it are thread-safe. */
public final class Disks implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Disks.class);

  private final List<Disk> disks;

  public Disks(List<Disk> disks) {
    this.disks = List.copyOf(disks);
  }

  /**
   * Opens directories. One that cannot be used, because it is read-only, broken or full, is left
   * out with a warning.
   *
   * @param owner who takes them, in one line, for others who try
   * @throws DirectoryInUseException if another server has one of them
   * @throws IOException if none can be used; one line
   */
  public static Disks open(
      List<DirectoryConfig> directories, DiskLimits limits, String owner, LongSupplier nanoTime)
      throws IOException {
    List<Disk> usable = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    boolean opened = false;
    try {
      for (DirectoryConfig directory : directories) {
        open(directory, limits, owner, nanoTime, usable, problems);
      }
      if (usable.isEmpty()) {
        throw new IOException("no usable directory for run files: " + String.join("; ", problems));
      }
      opened = true;
      return new Disks(usable);
    } finally {
      if (!opened) {
        new Disks(usable).close();
      }
    }
  }

  public List<Disk> list() {
    return disks;
  }

  /** These and one more. */
  public Disks with(Disk another) {
    List<Disk> all = new ArrayList<>(disks);
    all.add(another);
    return new Disks(all);
  }

  /** Whether any disk takes data. */
  public boolean anyHealthy() {
    for (Disk disk : disks) {
      if (disk.isHealthy()) {
        return true;
      }
    }
    return false;
  }

  /** Gives the directories up. Idempotent. */
  @Override
  public void close() {
    for (Disk disk : disks) {
      close(disk.catalog(), disk.name());
      close(disk.storage(), disk.name());
    }
  }

  private static void open(
      DirectoryConfig directory,
      DiskLimits limits,
      String owner,
      LongSupplier nanoTime,
      List<Disk> usable,
      List<String> problems)
      throws IOException {
    DirectoryStorage storage;
    try {
      storage = DirectoryStorage.open(directory, owner);
    } catch (DirectoryInUseException e) {
      throw e;
    } catch (IOException e) {
      leaveOut(directory, problems, "cannot be written: " + e);
      return;
    }
    RocksCatalog catalog;
    try {
      catalog = openCatalog(storage);
    } catch (IOException e) {
      close(storage, storage.name());
      leaveOut(directory, problems, "cannot be used: " + e.getMessage());
      return;
    }
    Disk disk = new Disk(storage, catalog, limits, nanoTime);
    if (disk.isHealthy()) {
      LOG.info(
          "directory opened path={} kind={} capacityBytes={} freeBytes={}",
          disk.name(),
          disk.kind(),
          disk.capacityBytes(),
          disk.freeBytes());
      usable.add(disk);
    } else {
      close(catalog, disk.name());
      close(storage, disk.name());
      leaveOut(
          directory,
          problems,
          "is full: " + disk.freeBytes() + " of " + disk.capacityBytes() + " bytes free");
    }
  }

  private static RocksCatalog openCatalog(DirectoryStorage storage) throws IOException {
    RocksCatalog catalog =
        RocksCatalog.open(Path.of(storage.name()).resolve("catalog"), CatalogConfig.DEFAULT);
    boolean opened = false;
    try {
      catalog.remove(catalog.runs().stream().map(RunRecord::id).toList());
      opened = true;
      return catalog;
    } finally {
      if (!opened) {
        close(catalog, storage.name());
      }
    }
  }

  private static void close(AutoCloseable part, String directory) {
    try {
      part.close();
    } catch (Exception e) {
      LOG.warn("directory not closed path={} problem={}", directory, e.toString());
    }
  }

  private static void leaveOut(DirectoryConfig directory, List<String> problems, String problem) {
    LOG.warn("directory left out path={} problem={}", directory.path(), problem);
    problems.add(directory.path() + " " + problem);
  }
}
