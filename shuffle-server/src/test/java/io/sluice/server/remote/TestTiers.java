package io.sluice.server.remote;

import io.sluice.server.catalog.CatalogConfig;
import io.sluice.server.catalog.RocksCatalog;
import io.sluice.server.catalog.RunCatalog;
import io.sluice.server.remote.spi.RemoteFileSystem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.random.RandomGenerator;

/** Remote tiers on file systems of tests. */
public final class TestTiers {
  private TestTiers() {}

  /**
   * Opens the tier of a server.
   *
   * @param directory its local directory
   * @param seed of its name, if it has none
   */
  public static RemoteTier open(RemoteFileSystem files, Path directory, long seed)
      throws IOException, InterruptedException {
    Random random = new Random(seed);
    ServerDirectory server = ServerDirectory.in(List.of(directory), "host", random);
    return open(files, server, RocksCatalog.open(server.catalog(), CatalogConfig.DEFAULT), random);
  }

  /**
   * As above, with a given catalog.
   *
   * @param catalog takes
   */
  public static RemoteTier open(
      RemoteFileSystem files, Path directory, RunCatalog catalog, RandomGenerator random)
      throws IOException, InterruptedException {
    ServerDirectory server = ServerDirectory.in(List.of(directory), "host", random);
    // Its existence marks the directory with the catalog.
    Files.createDirectories(server.catalog());
    return open(files, server, catalog, random);
  }

  /** The directory of the server that has adopted a directory; empty if no server has. */
  public static Optional<String> adopterOf(RemoteFileSystem files, String directory) {
    try {
      return new AdoptionMarks(files).adopterOf(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static RemoteTier open(
      RemoteFileSystem files, ServerDirectory server, RunCatalog catalog, RandomGenerator random)
      throws IOException, InterruptedException {
    return RemoteTier.open(
        files.base(), () -> files, Long.MAX_VALUE, 1, 30_000, 1, server, catalog, random);
  }
}
