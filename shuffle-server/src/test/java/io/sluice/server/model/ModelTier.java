package io.sluice.server.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskHealth;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.disk.HealthConfig;
import io.sluice.server.remote.RemoteStorage;
import io.sluice.server.remote.RemoteTier;
import io.sluice.server.remote.TestTiers;
import io.sluice.server.remote.spi.RemoteFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;

/** The remote tier of a simulated server, which its processes open one after the other. */
final class ModelTier {
  private final RemoteFileSystem shared;
  private final Path local;
  private ModelCatalog catalog = new ModelCatalog();
  private ModelFileSystem files;
  private RemoteTier opened;

  /**
   * @param local new local directory of the server
   */
  ModelTier(RemoteFileSystem shared, Path local) throws IOException {
    this.shared = shared;
    this.local = Files.createDirectory(local);
  }

  /**
   * Opens the tier for a process that starts.
   *
   * @param beforeCall called before each call of the file system; may wait
   */
  RemoteTier open(Runnable beforeCall, Random random) throws IOException, InterruptedException {
    files = new ModelFileSystem(shared, beforeCall, this::checkOwner);
    opened = TestTiers.open(files, local, catalog, random);
    return opened;
  }

  /** Fails if another server has adopted the directory of a stored file that this one deletes. */
  private void checkOwner(String path) {
    if (opened == null) {
      return;
    }
    RemoteStorage storage = opened.storage();
    storage
        .directoryOf(path.substring(path.lastIndexOf('/') + 1))
        .ifPresent(
            directory ->
                assertThat(TestTiers.adopterOf(shared, directory))
                    .as("adopter of the directory of %s, which a server deletes", path)
                    .isIn(Optional.empty(), Optional.of(storage.directories().get(0))));
  }

  /** The disk of the tier. */
  static Disk disk(RemoteTier tier, ModelClock clock) {
    return new Disk(
        tier.storage(),
        tier.catalog(),
        DiskLimits.DEFAULT,
        new DiskHealth(tier.storage().name(), RemoteTier.health(HealthConfig.DEFAULT), clock),
        clock);
  }

  ModelCatalog catalog() {
    return catalog;
  }

  /** Makes all later operations of the ended process fail. */
  void end() {
    files.end();
    opened = null;
    ModelCatalog left = catalog.afterCrash();
    catalog.failWith(new IOException("the process has ended"));
    catalog = left;
  }
}
