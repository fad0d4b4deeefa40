package io.sluice.server.disk;

import io.sluice.server.catalog.CatalogConfig;
import io.sluice.server.catalog.RocksCatalog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The disks of a server. Immutable; the disks are thread-safe. */
public final class Disks implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Disks.class);

  private final List<Disk> disks;

  public Disks(List<Disk> disks) {
    this.disks = List.copyOf(disks);
  }

  /**
   * Opens directories and their catalogs. A directory that is not usable, because it is read-only,
   * damaged or full of other files, is skipped with a warning.
   *
   * @param owner one line about this process, for the error message of another server
   * @throws DirectoryInUseException if another server uses one of the directories
   * @throws UnsafeDirectoryException if other users may change one of the directories
   * @throws IOException if no directory is usable; the message is one line
   */
  public static Disks open(
      List<DirectoryConfig> directories,
      DiskLimits limits,
      Fsync fsync,
      String owner,
      LongSupplier nanoTime)
      throws IOException {
    HealthConfig health =
        HealthConfig.DEFAULT.withWriteFailuresUntilSuspect(limits.failuresUntilBad());
    return open(directories, limits, health, fsync, owner, nanoTime);
  }

  /** As {@link #open(List, DiskLimits, Fsync, String, LongSupplier)}, with health thresholds. */
  public static Disks open(
      List<DirectoryConfig> directories,
      DiskLimits limits,
      HealthConfig health,
      Fsync fsync,
      String owner,
      LongSupplier nanoTime)
      throws IOException {
    List<Disk> usable = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    boolean opened = false;
    try {
      for (DirectoryConfig directory : directories) {
        open(directory, limits, health, fsync, owner, nanoTime, usable, problems);
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

  /** A copy with one more disk. */
  public Disks with(Disk another) {
    List<Disk> all = new ArrayList<>(disks);
    all.add(another);
    return new Disks(all);
  }

  /** Whether any disk accepts data. */
  public boolean anyHealthy() {
    for (Disk disk : disks) {
      if (disk.isHealthy()) {
        return true;
      }
    }
    return false;
  }

  /** Closes and unlocks the directories. Idempotent. */
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
      HealthConfig health,
      Fsync fsync,
      String owner,
      LongSupplier nanoTime,
      List<Disk> usable,
      List<String> problems)
      throws IOException {
    DirectoryStorage storage;
    try {
      storage = DirectoryStorage.open(directory, fsync, owner);
    } catch (DirectoryInUseException | UnsafeDirectoryException e) {
      throw e;
    } catch (IOException e) {
      skip(directory, problems, "is not writable: " + e);
      return;
    }
    RocksCatalog catalog;
    boolean containsRuns;
    try {
      containsRuns = containsRuns(storage);
      catalog = openCatalog(storage, containsRuns, fsync);
    } catch (IOException e) {
      close(storage, storage.name());
      skip(directory, problems, "cannot be used: " + e.getMessage());
      return;
    }
    Disk disk =
        new Disk(
            storage, catalog, limits, new DiskHealth(storage.name(), health, nanoTime), nanoTime);
    if (disk.isHealthy() || containsRuns) {
      LOG.info(
          "directory opened directory={} kind={} capacityBytes={} freeBytes={}",
          disk.name(),
          disk.kind(),
          disk.capacityBytes(),
          disk.freeBytes());
      usable.add(disk);
    } else {
      close(catalog, disk.name());
      close(storage, disk.name());
      skip(
          directory,
          problems,
          "is full: " + disk.freeBytes() + " of " + disk.capacityBytes() + " bytes free");
    }
  }

  private static boolean containsRuns(DirectoryStorage storage) throws IOException {
    return storage.list().stream().anyMatch(entry -> RunFiles.runId(entry.file()).isPresent());
  }

  private static RocksCatalog openCatalog(
      DirectoryStorage storage, boolean containsRuns, Fsync fsync) throws IOException {
    Path directory = CatalogConfig.directory(Path.of(storage.name()));
    if (containsRuns && !RocksCatalog.isThere(directory)) {
      // Without a catalog, recovery would delete every run as unknown.
      throw new IOException(
          "it contains run files, but no catalog in "
              + directory
              + "; create it with: sluice admin rebuild-catalog "
              + storage.name());
    }
    try {
      return RocksCatalog.open(
          directory, new CatalogConfig(fsync == Fsync.RUN, CatalogConfig.DEFAULT.maxTombstones()));
    } catch (IOException e) {
      throw new IOException(
          e.getMessage()
              + "; if the catalog is damaged, rebuild it with: sluice admin rebuild-catalog "
              + storage.name(),
          e);
    }
  }

  private static void close(AutoCloseable part, String directory) {
    try {
      part.close();
    } catch (Exception e) {
      LOG.warn("directory not closed directory={} problem={}", directory, e.toString());
    }
  }

  private static void skip(DirectoryConfig directory, List<String> problems, String problem) {
    LOG.warn("directory skipped directory={} problem={}", directory.path(), problem);
    problems.add(directory.path() + " " + problem);
  }
}
