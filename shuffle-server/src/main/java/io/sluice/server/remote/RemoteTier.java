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
 * A server's part of a remote file system: its storage and its catalog, for a {@link
 * io.sluice.server.disk.Disk}. The catalog lies in a local directory, because it is changed with
 * every run; if that directory is lost, the next start finds none of the runs, which are deleted
 * then.
 *
 * <p>Immutable; its parts are thread-safe.
 */
public final class RemoteTier {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteTier.class);

  private static final long RETRY_MS = 30_000;

  /** A request may be repeated at several nodes before an answer comes. */
  private static final int PATIENCE = 5;

  private final RemoteStorage storage;
  private final RunCatalog catalog;

  private RemoteTier(RemoteStorage storage, RunCatalog catalog) {
    this.storage = storage;
    this.catalog = catalog;
  }

  /**
   * Opens the tier. If the file system does not answer in time, the tier is there and cannot be
   * used; it is cleared of what an earlier life left there when it answers.
   *
   * @param local the server's own directories, locked
   * @param host this one's, to be seen in names
   * @param worthwhileBytes length from which a file is worth having there
   * @param group that may read files there; empty: only the server's user on that file system
   * @param sync whether each change of the catalog outlives a crash of the machine
   * @throws IOException what is wrong with the configuration or a local directory, in one line
   */
  public static RemoteTier open(
      RemoteConfig config,
      RemoteEnvironment environment,
      List<Path> local,
      String host,
      long worthwhileBytes,
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
        worthwhileBytes,
        config.startTimeoutMs(),
        RETRY_MS,
        ServerDirectory.in(local, host, random),
        new CatalogConfig(sync, CatalogConfig.DEFAULT.maxTombstones()));
  }

  /** As above, with a file system from the caller. */
  static RemoteTier open(
      String base,
      RemoteConnection.Opener opener,
      long limitBytes,
      long worthwhileBytes,
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
          new RemoteStorage(base, connection, directory.name(), limitBytes, worthwhileBytes),
          catalog);
    } finally {
      if (!opened) {
        connection.close();
        catalog.close();
      }
    }
  }

  /**
   * When the tier is ill: with longer times than a disk of this machine, and far fewer probes,
   * since it is one file system for many servers.
   */
  public static HealthConfig health(HealthConfig local) {
    return new HealthConfig(
        local.writeFailuresUntilSuspect(),
        local.readErrorsUntilSuspect(),
        local.readErrorsUntilLost(),
        local.checksumErrorsUntilSuspect(),
        local.errorWindowMs(),
        local.slowFactor(),
        local.slowLeastMs() * PATIENCE,
        new ProbeConfig(
            local.probes().intervalMs() * PATIENCE,
            local.probes().retryMs() * PATIENCE,
            local.probes().timeoutMs() * PATIENCE,
            local.probes().successesToReturn()),
        local.lostAfterMs() * PATIENCE,
        local.writeTimeoutMs() * PATIENCE);
  }

  public RemoteStorage storage() {
    return storage;
  }

  public RunCatalog catalog() {
    return catalog;
  }

  /** Nobody in this life refers to what an earlier one left: it was not there to be recovered. */
  private static void clear(String base, RemoteFileSystem files, String name, RunCatalog catalog)
      throws IOException {
    List<RunId> recorded = catalog.runs().stream().map(RunRecord::id).toList();
    // What is cleared away here is missing, however cleanly the life before had stopped.
    catalog.stopped(CleanStop.NONE);
    catalog.remove(recorded);
    // Its directories only; the file system stays open.
    RemoteStorage leftovers = new RemoteStorage(base, files, name, Long.MAX_VALUE, 0);
    List<Storage.Entry> entries = leftovers.list();
    for (Storage.Entry entry : entries) {
      leftovers.delete(entry.file());
    }
    LOG.info(
        "remote tier cleared of what was not recovered base={} runs={} files={}",
        base,
        recorded.size(),
        entries.size());
  }
}
