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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The remote tier of a server: storage and catalog for a {@link io.sluice.server.disk.Disk}. The
 * catalog is in a local directory, because it changes with every run. The footers of the runs have
 * the same contents, so another server can serve them if this one is lost: it adopts the directory
 * ({@code docs/decisions/0027-adopted-runs.md}).
 *
 * <p>Thread-safe.
 */
public final class RemoteTier {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteTier.class);

  private static final long RETRY_MS = 30_000;

  /** Factor on all health times: a request may be retried on several nodes. */
  private static final int TIMEOUT_FACTOR = 5;

  private final RemoteStorage storage;
  private final RunCatalog catalog;
  private final AdoptedDirectories adopted;
  private final AdoptionMarks marks;
  private final ServerDirectory directory;

  private RemoteTier(
      RemoteStorage storage,
      RunCatalog catalog,
      AdoptedDirectories adopted,
      AdoptionMarks marks,
      ServerDirectory directory) {
    this.storage = storage;
    this.catalog = catalog;
    this.adopted = adopted;
    this.marks = marks;
    this.directory = directory;
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
    ServerDirectory directory = ServerDirectory.in(local, host, random);
    return open(
        settings.base(),
        () -> implementations.open(settings),
        config.capacityBytes(),
        preferredMinBytes,
        config.startTimeoutMs(),
        RETRY_MS,
        directory,
        RocksCatalog.open(
            directory.catalog(), new CatalogConfig(sync, CatalogConfig.DEFAULT.maxTombstones())),
        random);
  }

  /**
   * As above, with a given file system.
   *
   * @param catalog takes
   */
  static RemoteTier open(
      String base,
      RemoteConnection.Opener opener,
      long limitBytes,
      long preferredMinBytes,
      long startTimeoutMs,
      long retryMs,
      ServerDirectory directory,
      RunCatalog catalog,
      RandomGenerator random)
      throws IOException, InterruptedException {
    RemoteConnection connection =
        new RemoteConnection(
            base, opener, files -> clear(base, files, directory.name(), catalog), retryMs);
    AdoptionMarks marks = new AdoptionMarks(connection);
    boolean opened = false;
    try {
      AdoptedDirectories adopted = AdoptedDirectories.read(directory.adopted());
      connection.start();
      boolean answers = connection.await(startTimeoutMs);
      ServerDirectory used = answers ? usable(directory, marks, catalog, random) : directory;
      keepOwn(adopted, used.name(), answers ? marks : null);
      RemoteStorage storage =
          new RemoteStorage(
              base,
              connection,
              used.name(),
              () -> used.renamed(random).name(),
              limitBytes,
              preferredMinBytes);
      storage.alsoServe(adopted.servers().keySet());
      opened = true;
      LOG.info(
          "remote tier opened base={} directories={} answers={}",
          base,
          storage.directories(),
          answers);
      return new RemoteTier(storage, catalog, adopted, marks, used);
    } finally {
      if (!opened) {
        connection.close();
        catalog.close();
      }
    }
  }

  /** A new directory if another server has adopted that of this one; its runs are served there. */
  private static ServerDirectory usable(
      ServerDirectory directory, AdoptionMarks marks, RunCatalog catalog, RandomGenerator random)
      throws IOException {
    Optional<String> adopter = adopterOf(directory.name(), marks);
    if (adopter.isEmpty()) {
      return directory;
    }
    List<RunId> recorded = catalog.runs().stream().map(RunRecord::id).toList();
    catalog.recordCleanStop(CleanStop.NONE);
    catalog.remove(recorded);
    ServerDirectory another = directory.renamed(random);
    LOG.warn(
        "runs of this server on the remote tier were adopted while it was lost directory={}"
            + " adopter={} runs={} newDirectory={}",
        directory.name(),
        adopter.get(),
        recorded.size(),
        another.name());
    return another;
  }

  /**
   * Forgets directories that another server has adopted since, and all if the file system does not
   * answer.
   *
   * @param marks null if the file system does not answer
   */
  private static void keepOwn(AdoptedDirectories adopted, String own, AdoptionMarks marks)
      throws IOException {
    for (String directory : adopted.servers().keySet()) {
      if (marks == null || !adopterOf(directory, marks).equals(Optional.of(own))) {
        adopted.remove(directory);
      }
    }
  }

  /** Empty if the mark cannot be read: files are checked again before they are deleted. */
  private static Optional<String> adopterOf(String directory, AdoptionMarks marks) {
    try {
      return marks.adopterOf(directory);
    } catch (IOException e) {
      LOG.warn("adoption mark not read directory={} problem={}", directory, e.getMessage());
      return Optional.empty();
    }
  }

  /** Whether a text is a valid name of a server's directory. */
  public static boolean isDirectoryName(String name) {
    return AdoptionMark.isDirectoryName(name);
  }

  /**
   * Directories of this server whose catalog was lost with a local directory, unless another server
   * has adopted them.
   */
  public List<String> orphans() throws IOException {
    List<String> left = new ArrayList<>();
    for (String orphan : directory.orphans()) {
      if (marks.adopterOf(orphan).filter(by -> !directory.orphans().contains(by)).isEmpty()) {
        left.add(orphan);
      }
    }
    return left;
  }

  /** Records that this server has adopted all {@link #orphans}. */
  public void orphansAdopted() {
    directory.orphansAdopted();
  }

  /** Names of lost servers, by their directories that this server has adopted. */
  public Map<String, String> adopted() {
    return adopted.servers();
  }

  /** Records an adoption after the catalog has the records of all its runs. */
  public void adopted(String directory, String server) throws IOException {
    adopted.add(directory, server);
  }

  /** Ends the adoption of a directory without files. */
  public void release(String directory) throws IOException {
    storage.release(directory);
    adopted.remove(directory);
    marks.delete(directory);
  }

  /** Ends the adoption of a directory, and leaves its files to the next adopter. */
  public void leave(String directory) throws IOException {
    storage.abandon(directory);
    adopted.remove(directory);
  }

  /**
   * Health thresholds of the tier: longer times and fewer probes than for a local disk, since many
   * servers share one file system. Data on a file system outlives its outages, so failed reads
   * alone do not lose it.
   */
  public static HealthConfig health(HealthConfig local) {
    return new HealthConfig(
        local.writeFailuresUntilSuspect(),
        local.readErrorsUntilSuspect(),
        HealthConfig.NEVER,
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
    // Closes nothing but this object; the file system stays open. It writes no file, so it needs no
    // other name.
    RemoteStorage leftovers = new RemoteStorage(base, files, name, () -> name, Long.MAX_VALUE, 0);
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
