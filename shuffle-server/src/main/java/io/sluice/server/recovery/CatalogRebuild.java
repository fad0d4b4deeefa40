package io.sluice.server.recovery;

import io.sluice.common.run.RunExtent;
import io.sluice.common.run.RunFormatException;
import io.sluice.common.run.RunId;
import io.sluice.common.run.RunReader;
import io.sluice.server.catalog.CatalogConfig;
import io.sluice.server.catalog.RocksCatalog;
import io.sluice.server.catalog.RunCatalog;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.catalog.Tombstone;
import io.sluice.server.disk.DirectoryConfig;
import io.sluice.server.disk.DirectoryStorage;
import io.sluice.server.disk.Fsync;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Rebuilds a lost or damaged catalog from the headers and footers of the run files, in a directory
 * that no server uses. Headers, block lists, index and trailer are verified; blocks are not, as
 * readers verify their checksums.
 *
 * <p>The new catalog is written beside the old one and replaces it by rename, so a rebuild can be
 * repeated at any time. The old catalog is kept as {@code catalog.old}. Its tombstones are copied
 * if it is readable; otherwise a run that was being deleted may reappear until its application
 * ends.
 */
public final class CatalogRebuild {
  private static final String NEW = "catalog.new";
  private static final String OLD = "catalog.old";

  private final Path base;
  private final String owner;

  /**
   * @param base base directory, as in the server's configuration
   * @param owner one line about this process, for the error message of a server that starts
   *     meanwhile
   */
  public CatalogRebuild(Path base, String owner) {
    this.base = base;
    this.owner = owner;
  }

  /**
   * Rebuilds the catalog.
   *
   * @throws io.sluice.server.disk.DirectoryInUseException if a server uses the directory
   * @throws IOException if the directory cannot be read or written; nothing has changed
   */
  public RebuiltCatalog rebuild() throws IOException {
    if (!Files.isDirectory(base.resolve("runs"))) {
      throw new NoSuchFileException(base + " is not a directory of a shuffle server");
    }
    try (DirectoryStorage storage =
        DirectoryStorage.open(
            new DirectoryConfig(base, Optional.empty(), 0, 1), Fsync.NEVER, owner)) {
      return rebuild(storage);
    }
  }

  private RebuiltCatalog rebuild(Storage storage) throws IOException {
    Path current = CatalogConfig.directory(base);
    deleteTree(base.resolve(NEW));
    Optional<List<Tombstone>> tombstones = tombstonesOf(current);
    Set<String> applications = new HashSet<>();
    List<String> problems = new ArrayList<>();
    int runs = 0;
    long bytes = 0;
    try (RunCatalog catalog = RocksCatalog.open(base.resolve(NEW), CatalogConfig.DEFAULT)) {
      for (Storage.Entry file : storage.list()) {
        Optional<RunId> id = RunFiles.runId(file.file());
        if (id.isEmpty()) {
          continue;
        }
        try {
          RunRecord run = read(storage, file);
          if (!run.id().equals(id.get())) {
            problems.add(
                "run file="
                    + storage.pathOf(file.file())
                    + " offset=8: the header has run id "
                    + run.id());
            continue;
          }
          catalog.add(run);
          runs++;
          bytes += run.length();
          applications.add(run.shuffle().application());
        } catch (RunFormatException e) {
          problems.add(e.getMessage());
        }
      }
      catalog.addTombstones(tombstones.orElse(List.of()));
      catalog.sync();
    }
    if (Files.exists(current)) {
      deleteTree(base.resolve(OLD));
      Files.move(current, base.resolve(OLD), StandardCopyOption.ATOMIC_MOVE);
    }
    Files.move(base.resolve(NEW), current, StandardCopyOption.ATOMIC_MOVE);
    return new RebuiltCatalog(
        base, runs, bytes, applications.size(), problems, tombstones.map(List::size).orElse(-1));
  }

  private static RunRecord read(Storage storage, Storage.Entry file) throws IOException {
    try (RunReader reader =
        RunReader.open(storage.open(file.file()), storage.pathOf(file.file()))) {
      for (RunExtent extent : reader.extents()) {
        reader.forEachBlock(extent, block -> {});
      }
      return RunRecords.of(reader);
    }
  }

  private static Optional<List<Tombstone>> tombstonesOf(Path catalog) {
    if (!RocksCatalog.isThere(catalog)) {
      return Optional.empty();
    }
    try (RunCatalog old = RocksCatalog.open(catalog, CatalogConfig.DEFAULT)) {
      return Optional.of(old.tombstones());
    } catch (IOException e) {
      // An unreadable old catalog is expected here; the result reports it.
      return Optional.empty();
    }
  }

  private static void deleteTree(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }
}
