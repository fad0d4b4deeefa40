package io.sluice.server.remote;

import io.sluice.common.run.RunId;
import io.sluice.server.catalog.CatalogConfig;
import io.sluice.server.catalog.CleanStop;
import io.sluice.server.catalog.RocksCatalog;
import io.sluice.server.catalog.RunCatalog;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.disk.HealthConfig;
import io.sluice.server.disk.ProbeConfig;
import io.sluice.server.disk.Storage;
import io.sluice.server.remote.spi.RemoteFileSystem;
import io.sluice.server.remote.spi.RemoteSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The remote tier of a server: storage and catalog for a {@link io.sluice.server.disk.Disk}. The
 * catalog is in a local directory, because it changes with every run. If that directory is lost,
 * the next start deletes the remote runs as unknown.
 *
 * <p>Immutable; its parts are thread-safe.
 */
public final class RemoteTier {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteTier.class);

  private static final long RETRY_MS = 30_000;

  /** Factor on all health times: a request may be retried on several nodes. */
  private static final int TIMEOUT_FACTOR = 5;

  private final RemoteStorage storage;
  private final RunCatalog catalog;

  private RemoteTier(RemoteStorage storage, RunCatalog catalog) {
    this.storage = storage;
    this.catalog = catalog;
  }

  /**
   * Opens the tier. If the file system does not answer within the timeout, the tier is unusable
   * until it answers; then files of earlier epochs are deleted.
   *
   * @param local the server's local directories, locked
   * @param host name of this host, used in directory names
   * @param preferredMinBytes minimum length of files to move there first
   * @param group group with read permission; empty: only the server's user on that file system
   * @param sync whether each change of the catalog is synced
   * @throws IOException if the configuration or a local directory is not usable; the message is one
   *     line
   */
  public static RemoteTier open(
      RemoteConfig config,
      RemoteEnvironment environment,
      List<Path> local,
      String host,
      long preferredMinBytes,
      Optional<String> group,
      boolean sync,
      RandomGenerator random)
      throws IOException, InterruptedException {
    RemoteFileSystems implementations = RemoteFileSystems.of(environment);
    RemoteSettings settings =
        new RemoteSettings(
            config.path().orElseThrow(),
            config.configurationDirectory().or(environment::hadoopConfiguration),
            config.properties(),
            config.kerberos().settings(),
            group);
    return open(
        settings.base(),
        () -> implementations.open(settings),
        config.capacityBytes(),
        preferredMinBytes,
        config.startTimeoutMs(),
        RETRY_MS,
        ServerDirectory.in(local, host, random),
        new CatalogConfig(sync, CatalogConfig.DEFAULT.maxTombstones()));
  }

  /** As above, with a given file system. */
  static RemoteTier open(
      String base,
      RemoteConnection.Opener opener,
      long limitBytes,
      long preferredMinBytes,
      long startTimeoutMs,
      long retryMs,
      ServerDirectory directory,
      CatalogConfig catalogConfig)
      throws IOException, InterruptedException {
    RunCatalog catalog = RocksCatalog.open(directory.catalog(), catalogConfig);
    RemoteConnection connection =
        new RemoteConnection(
            base, opener, files -> clear(base, files, directory.name(), catalog), retryMs);
    boolean opened = false;
    try {
      connection.start();
      boolean answers = connection.await(startTimeoutMs);
      opened = true;
      LOG.info(
          "remote tier opened base={} directories={} answers={}", base, directory.name(), answers);
      return new RemoteTier(
          new RemoteStorage(base, connection, directory.name(), limitBytes, preferredMinBytes),
          catalog);
    } finally {
      if (!opened) {
        connection.close();
        catalog.close();
      }
    }
  }

  /**
   * Health thresholds of the tier: longer times and fewer probes than for a local disk, since many
   * servers share one file system.
   */
  public static HealthConfig health(HealthConfig local) {
    return new HealthConfig(
        local.writeFailuresUntilSuspect(),
        local.readErrorsUntilSuspect(),
        local.readErrorsUntilLost(),
        local.checksumErrorsUntilSuspect(),
        local.errorWindowMs(),
        local.slowFactor(),
        local.slowThresholdMs() * TIMEOUT_FACTOR,
        new ProbeConfig(
            local.probes().intervalMs() * TIMEOUT_FACTOR,
            local.probes().retryMs() * TIMEOUT_FACTOR,
            local.probes().timeoutMs() * TIMEOUT_FACTOR,
            local.probes().successesToReturn()),
        local.lostAfterMs() * TIMEOUT_FACTOR,
        local.writeTimeoutMs() * TIMEOUT_FACTOR);
  }

  public RemoteStorage storage() {
    return storage;
  }

  public RunCatalog catalog() {
    return catalog;
  }

  /**
   * Deletes the files of earlier epochs, which were not recovered because the file system was
   * unreachable.
   */
  private static void clear(String base, RemoteFileSystem files, String name, RunCatalog catalog)
      throws IOException {
    List<RunId> recorded = catalog.runs().stream().map(RunRecord::id).toList();
    // The deleted data is missing, even if the previous epoch ended with a clean stop.
    catalog.recordCleanStop(CleanStop.NONE);
    catalog.remove(recorded);
    // Closes nothing but this object; the file system stays open.
    RemoteStorage leftovers = new RemoteStorage(base, files, name, Long.MAX_VALUE, 0);
    List<Storage.Entry> entries = leftovers.list();
    for (Storage.Entry entry : entries) {
      leftovers.delete(entry.file());
    }
    LOG.info(
        "deleted unrecovered runs of the remote tier base={} runs={} files={}",
        base,
        recorded.size(),
        entries.size());
  }
}
