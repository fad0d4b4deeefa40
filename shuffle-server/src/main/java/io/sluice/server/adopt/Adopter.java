package io.sluice.server.adopt;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.common.net.DaemonThreads;
import io.sluice.common.run.RunId;
import io.sluice.proto.Adoption;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.ShuffleMove;
import io.sluice.server.cluster.AdoptedData;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskThread;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.Storage;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.remote.RemoteStorage;
import io.sluice.server.remote.RemoteTier;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adopts the directories of lost servers on the remote tier, one after the other on its own thread,
 * and reports whose data this server serves.
 *
 * <p>An adoption marks and lists the directory, adds every run to the catalog and to the log of its
 * shuffle, and records the directory in a local file. After a crash before that record, the next
 * start drops the runs and the coordinator orders the adoption again. A directory that cannot be
 * listed is not adopted; a run that cannot be read is skipped, and its map tasks run again.
 *
 * <p>Thread-safe.
 */
public final class Adopter implements AdoptedData, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Adopter.class);

  /** The server in the record of a directory that this server wrote itself. */
  private static final String OWN = "-";

  /** Maximum number of moves in a heartbeat, some hundred bytes each. */
  private static final int MAX_MOVES = 5_000;

  /** Interval of attempts to adopt the server's own directories without a catalog. */
  private static final long RETRY_MS = 30_000;

  /** Number of runs that are read at a time. */
  private static final int THREADS = 8;

  /** Number of runs after which a stop is noticed. */
  private static final int BATCH_RUNS = 64;

  private static final long CLOSE_WAIT_MS = 2_000;

  private final RemoteTier tier;
  private final Disk disk;
  private final RunFiles files;
  private final ShuffleStore store;
  private final RunAdoption adoption;
  private final Supplier<ExecutorService> readers;
  private final DiskThread thread = new DiskThread("adopter", RETRY_MS, this::adoptOrphans);

  /** Directories that are being adopted or wait for it. */
  @GuardedBy("this")
  private final Set<String> pending = new HashSet<>();

  /** Shuffles with runs in completely adopted directories, and whether their drivers know. */
  @GuardedBy("this")
  private final Map<Adopted, Boolean> applied = new LinkedHashMap<>();

  private volatile boolean orphansLeft = true;

  /**
   * A shuffle of a lost server.
   *
   * @param server name of the lost server
   */
  private record Adopted(ShuffleKey shuffle, String server) {
    static Adopted of(ShuffleMove move) {
      return new Adopted(
          new ShuffleKey(move.getShuffle().getApplication(), move.getShuffle().getShuffle()),
          move.getFrom());
    }

    ShuffleMove moveTo(ServerId self) {
      return ShuffleMove.newBuilder()
          .setShuffle(
              ShuffleId.newBuilder()
                  .setApplication(shuffle.application())
                  .setShuffle(shuffle.shuffle()))
          .setFrom(server)
          .setTo(self)
          .setLost(true)
          .build();
    }
  }

  /**
   * @param disk the disk of the tier
   */
  public Adopter(RemoteTier tier, Disk disk, RunFiles files, ShuffleStore store) {
    this(
        tier,
        disk,
        files,
        store,
        () -> Executors.newFixedThreadPool(THREADS, DaemonThreads.numbered("adopter-reader")));
  }

  /**
   * @param readers returns a new executor, which reads the runs of one directory
   */
  Adopter(
      RemoteTier tier,
      Disk disk,
      RunFiles files,
      ShuffleStore store,
      Supplier<ExecutorService> readers) {
    this.tier = tier;
    this.disk = disk;
    this.files = files;
    this.store = store;
    this.adoption = new RunAdoption(disk, files, store);
    this.readers = readers;
  }

  /**
   * Finds the runs that were adopted before a restart. Adopts the server's own runs whose catalog
   * was lost with a local directory, before the server accepts requests. Then starts the thread.
   */
  public void start() {
    findAdopted();
    adoptOrphans();
    thread.start();
  }

  /** Runs the pending adoptions, on the calling thread. */
  void runPending() {
    thread.runPending();
    adoptOrphans();
  }

  void findAdopted() {
    Map<String, Set<ShuffleKey>> shufflesByDirectory = new HashMap<>();
    for (RunFile run : files.on(disk)) {
      tier.storage()
          .directoryOf(RunFiles.fileName(run.id()))
          .ifPresent(
              directory ->
                  shufflesByDirectory
                      .computeIfAbsent(directory, unused -> new HashSet<>())
                      .add(run.record().shuffle()));
    }
    tier.adopted()
        .forEach(
            (directory, server) -> {
              Set<ShuffleKey> shuffles = shufflesByDirectory.get(directory);
              if (shuffles == null) {
                release(directory);
              } else {
                add(server, shuffles);
              }
            });
  }

  private void adoptOrphans() {
    if (!orphansLeft || !disk.health().state().isReadable()) {
      return;
    }
    try {
      boolean all = true;
      for (String directory : tier.orphans()) {
        all &= tier.adopted().containsKey(directory) || adopt(directory, OWN);
      }
      if (all) {
        tier.orphansAdopted();
        orphansLeft = false;
      }
    } catch (IOException e) {
      LOG.warn("runs without a catalog not found, will retry problem={}", e.getMessage());
    }
  }

  private void release(String directory) {
    try {
      tier.release(directory);
    } catch (IOException e) {
      LOG.warn(
          "mark of an adopted directory without runs not deleted directory={} problem={}",
          directory,
          e.getMessage());
    }
  }

  @Override
  public synchronized void order(List<Adoption> adoptions) {
    for (Adoption ordered : adoptions) {
      String directory = ordered.getDirectory();
      if (!RemoteTier.isDirectoryName(directory)
          || tier.storage().directories().contains(directory)
          || tier.storage().directories().size() + pending.size() >= RemoteStorage.MAX_DIRECTORIES
          || !pending.add(directory)) {
        continue;
      }
      thread.execute(
          () -> {
            try {
              adopt(directory, ordered.getServer());
            } finally {
              ended(directory);
            }
          });
    }
  }

  @Override
  public void leave() {
    tier.adopted()
        .forEach(
            (directory, server) -> {
              if (!server.equals(OWN)) {
                leave(directory);
              }
            });
  }

  private void leave(String directory) {
    try {
      tier.leave(directory);
    } catch (IOException e) {
      LOG.warn(
          "record of an adopted directory not deleted directory={} problem={}",
          directory,
          e.getMessage());
    }
  }

  private synchronized void ended(String directory) {
    pending.remove(directory);
  }

  /** Number of directories that are being adopted or wait for it. */
  synchronized int pending() {
    return pending.size();
  }

  /** Returns whether the directory is adopted. */
  private boolean adopt(String directory, String server) {
    if (thread.isStopping()) {
      return false;
    }
    Set<ShuffleKey> shuffles = ConcurrentHashMap.newKeySet();
    Map<RunAdoption.Result, Integer> results;
    Map<RunId, ShuffleKey> known = new HashMap<>();
    for (RunFile run : files.on(disk)) {
      known.put(run.id(), run.record().shuffle());
    }
    try {
      results = adoptRuns(tier.storage().adopt(directory), known, shuffles);
      if (thread.isStopping()) {
        return false;
      }
      tier.adopted(directory, server);
    } catch (IOException e) {
      LOG.warn(
          "runs of a lost server not adopted, will retry server={} directory={} problem={}",
          server,
          directory,
          e.getMessage());
      tier.storage().abandon(directory);
      return false;
    }
    add(server, shuffles);
    LOG.info(
        "adopted the runs of a lost server server={} directory={} shuffles={} runs={}"
            + " skippedRuns={}",
        server,
        directory,
        shuffles.size(),
        results.getOrDefault(RunAdoption.Result.ADOPTED, 0),
        results.getOrDefault(RunAdoption.Result.SKIPPED, 0));
    return true;
  }

  /** Adopts runs in parallel, because each one takes several requests. */
  private Map<RunAdoption.Result, Integer> adoptRuns(
      List<Storage.Entry> entries, Map<RunId, ShuffleKey> known, Set<ShuffleKey> shuffles)
      throws IOException {
    Map<RunAdoption.Result, Integer> results = new EnumMap<>(RunAdoption.Result.class);
    ExecutorService executor = readers.get();
    try {
      for (int from = 0; from < entries.size() && !thread.isStopping(); from += BATCH_RUNS) {
        List<Future<RunAdoption.Result>> running = new ArrayList<>();
        for (Storage.Entry entry :
            entries.subList(from, Math.min(entries.size(), from + BATCH_RUNS))) {
          running.add(executor.submit(() -> adopt(entry, known, shuffles)));
        }
        for (Future<RunAdoption.Result> each : running) {
          results.merge(each.get(), 1, Integer::sum);
        }
      }
      return results;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException("adoption failed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      executor.shutdownNow();
    }
  }

  private RunAdoption.Result adopt(
      Storage.Entry entry, Map<RunId, ShuffleKey> known, Set<ShuffleKey> shuffles)
      throws IOException {
    RunAdoption.Result result = adoption.adopt(entry, known, shuffles);
    if (result == RunAdoption.Result.SKIPPED) {
      tier.storage().forget(entry.file());
    }
    return result;
  }

  private synchronized void add(String server, Set<ShuffleKey> shuffles) {
    if (server.equals(OWN)) {
      // Readers look for the data here.
      return;
    }
    for (ShuffleKey shuffle : shuffles) {
      applied.putIfAbsent(new Adopted(shuffle, server), false);
    }
  }

  /** Shuffles that were removed meanwhile are forgotten. */
  @Override
  public synchronized List<ShuffleMove> moves(ServerId self, int max) {
    applied.keySet().removeIf(adopted -> store.find(adopted.shuffle()) == null);
    List<ShuffleMove> moves = new ArrayList<>();
    for (boolean known : new boolean[] {false, true}) {
      for (Map.Entry<Adopted, Boolean> each : applied.entrySet()) {
        if (each.getValue() == known
            && moves.size() < Math.min(max, MAX_MOVES)
            && !each.getKey().server().equals(self.getName())) {
          moves.add(each.getKey().moveTo(self));
        }
      }
    }
    return moves;
  }

  @Override
  public synchronized void applied(List<ShuffleMove> moves) {
    for (ShuffleMove move : moves) {
      applied.computeIfPresent(Adopted.of(move), (adopted, known) -> true);
    }
  }

  /** Stops the thread; an adoption in progress ends without its record. Idempotent. */
  @Override
  public void close() {
    DiskThread.stopAll(List.of(thread), CLOSE_WAIT_MS);
  }
}
