package io.sluice.server.remote;

import io.sluice.server.catalog.CatalogConfig;
import io.sluice.server.remote.spi.RemoteFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

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
    return RemoteTier.open(
        files.base(),
        () -> files,
        Long.MAX_VALUE,
        1,
        30_000,
        1,
        ServerDirectory.in(List.of(directory), "host", random),
        CatalogConfig.DEFAULT,
        random);
  }
}
