package io.sluice.server;

import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskHealth;
import io.sluice.server.disk.DiskSync;
import io.sluice.server.disk.Disks;
import io.sluice.server.disk.Fsync;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.remote.RemoteConfig;
import io.sluice.server.remote.RemoteEnvironment;
import io.sluice.server.remote.RemoteTier;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Opens the storage directories and the remote tier, which store the run files. */
final class DataDirectories {
  private final ServerConfig config;
  private final LongSupplier nanoTime;
  private final StartedParts parts;
  private RemoteTier remoteTier;

  DataDirectories(Startup startup) {
    config = startup.config();
    nanoTime = startup.nanoTime();
    parts = startup.parts();
  }

  /** Opens all storage; with {@code INTERVAL} fsync, also starts the periodic sync. */
  Disks open() throws StartException {
    Disks local = parts.add("directories", openDisks());
    Disks disks =
        config.storage().remote().used() ? parts.add("remote tier", withRemote(local)) : local;
    if (config.storage().durability().fsync() == Fsync.INTERVAL) {
      DiskSync sync = new DiskSync(disks.list(), config.storage().durability().fsyncIntervalMs());
      parts.add("disk sync", sync).start();
    }
    return disks;
  }

  /** The remote tier that {@link #open} has opened; empty if there is none. */
  Optional<RemoteTier> remoteTier() {
    return Optional.ofNullable(remoteTier);
  }

  /** Paths of the local directories, without the remote tier. */
  static List<Path> paths(Disks disks) {
    return disks.list().stream()
        .filter(disk -> disk.kind() != StorageKind.REMOTE)
        .map(disk -> Path.of(disk.name()))
        .toList();
  }

  private Disks openDisks() throws StartException {
    String owner =
        "pid "
            + ProcessHandle.current().pid()
            + " on host "
            + config.network().address().announced();
    try {
      return Disks.open(
          config.storage().disk().directories(),
          config.storage().disk().limits(),
          config.storage().disk().health(),
          config.storage().durability().fsync(),
          owner,
          nanoTime);
    } catch (IOException e) {
      throw new StartException("rss.storage.basePath: " + e.getMessage(), e);
    }
  }

  private Disks withRemote(Disks local) throws StartException {
    RemoteConfig remote = config.storage().remote();
    RemoteEnvironment environment =
        RemoteEnvironment.of(
            remote.classPath(), System.getenv(), System.getProperty("sluice.home"));
    try {
      RemoteTier tier =
          RemoteTier.open(
              remote,
              environment,
              paths(local),
              config.network().address().announced(),
              // Small runs stay on local disks unless demotion of larger runs frees space there.
              config.storage().disk().demotionBytesPerSecond() > 0 ? remote.largeBytes() : 0,
              config.storage().disk().fileGroup(),
              config.storage().durability().fsync() == Fsync.RUN,
              new SecureRandom());
      remoteTier = tier;
      return local.with(
          new Disk(
              tier.storage(),
              tier.catalog(),
              config.storage().disk().limits(),
              new DiskHealth(
                  tier.storage().name(),
                  RemoteTier.health(config.storage().disk().health()),
                  nanoTime),
              nanoTime));
    } catch (IOException e) {
      throw new StartException("rss.storage.type MEMORY_LOCALFILE_HDFS: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartException("interrupted while opening the remote file system", e);
    }
  }
}
