package io.sluice.server.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * All shuffles of a server, and tombstones of removed shuffles. Because of the tombstones, a late
 * push or read fails with EXPIRED instead of creating the shuffle again.
 *
 * <p>Thread-safe. Removing a shuffle releases its memory before it returns; files are deleted when
 * their readers are done.
 */
public final class ShuffleStore implements AutoCloseable {
  private final StoreConfig config;
  private final LogTotals totals;
  // Changed under the lock; read without it.
  private final ConcurrentHashMap<ShuffleKey, ShuffleLog> logs = new ConcurrentHashMap<>();
  private final Object lock = new Object();

  // In order of removal.
  @GuardedBy("lock")
  private final LinkedHashMap<ShuffleKey, Boolean> tombstones = new LinkedHashMap<>();

  @GuardedBy("lock")
  private final Map<String, TreeSet<Integer>> shufflesByApplication = new HashMap<>();

  private volatile Consumer<List<ShuffleKey>> onForgotten = unused -> {};
  private volatile boolean deleteRunsAtClose;

  public ShuffleStore(StoreConfig config) {
    this.config = config;
    this.totals = new LogTotals(config.maxPartitions(), config.maxMetadataBytes());
  }

  public StoreConfig config() {
    return config;
  }

  public LogTotals totals() {
    return totals;
  }

  /** Returns the log of a shuffle, or null. */
  public ShuffleLog find(ShuffleKey key) {
    return logs.get(key);
  }

  /**
   * Returns the log of a shuffle; creates it if it does not exist.
   *
   * @throws SluiceException EXPIRED, NO_SPACE
   */
  public ShuffleLog findOrCreate(ShuffleKey key) throws SluiceException {
    ShuffleLog log = logs.get(key);
    if (log != null) {
      return log;
    }
    synchronized (lock) {
      checkNotExpired(key);
      log = logs.get(key);
      if (log == null) {
        if (logs.size() >= config.maxShuffles()) {
          throw new SluiceException(
              StatusCode.NO_SPACE,
              key
                  + ": the server stores "
                  + logs.size()
                  + " shuffles, the maximum by rss.server.shuffles.max");
        }
        log = add(key);
      }
      return log;
    }
  }

  /**
   * Drops the log of a shuffle that was never written and has no waits. Otherwise the log that a
   * wait created would stay until the application ends. Adds no tombstone, because the first push
   * may still arrive.
   */
  public void dropIfUnused(ShuffleKey key) {
    synchronized (lock) {
      ShuffleLog log = logs.get(key);
      if (log != null && log.endIfUnused()) {
        drop(key);
      }
    }
  }

  /**
   * Returns the log of a shuffle with runs of an earlier epoch; creates it if it does not exist.
   * The maximum number of shuffles does not apply: shuffles on disk use space until they are
   * removed.
   */
  public ShuffleLog restore(ShuffleKey key) {
    synchronized (lock) {
      ShuffleLog log = logs.get(key);
      return log == null ? add(key) : log;
    }
  }

  /** Whether the limits of partitions and of metadata allow more partitions. */
  public boolean hasRoomFor(int partitions) {
    return !totals.isMetadataSpent() && totals.partitionRoom() >= partitions;
  }

  /**
   * Restores tombstones of shuffles that were removed in an earlier epoch.
   *
   * @param shuffles in the order of their removal; none of them is in the store
   */
  public void restoreForgotten(Collection<ShuffleKey> shuffles) {
    synchronized (lock) {
      shuffles.forEach(this::addTombstone);
    }
  }

  /**
   * Sets the listener that is notified of removed shuffles, on the thread that removed them,
   * without a lock and before their runs are discarded.
   */
  public void onForgotten(Consumer<List<ShuffleKey>> listener) {
    onForgotten = listener;
  }

  /** Whether the shuffle was removed. */
  public boolean isExpired(ShuffleKey key) {
    synchronized (lock) {
      return tombstones.containsKey(key);
    }
  }

  /**
   * Refuses a shuffle that was removed.
   *
   * @throws SluiceException EXPIRED
   */
  public void checkNotExpired(ShuffleKey key) throws SluiceException {
    if (isExpired(key)) {
      throw new SluiceException(
          StatusCode.EXPIRED,
          key + ": the shuffle was unregistered or its application's lease expired");
    }
  }

  /** Applications with at least one shuffle in the store, in no particular order. */
  public List<String> applications() {
    synchronized (lock) {
      return new ArrayList<>(shufflesByApplication.keySet());
    }
  }

  public int shuffleCount() {
    return logs.size();
  }

  /** Current logs, in no particular order. */
  public Collection<ShuffleLog> logs() {
    return logs.values();
  }

  /**
   * Removes shuffles of an application. Shuffles that do not exist get a tombstone as well, so that
   * their late pushes are refused.
   *
   * @return number of shuffles that existed
   */
  public int removeShuffles(String application, Collection<Integer> shuffles) {
    List<ShuffleLog> removed = new ArrayList<>();
    List<ShuffleKey> forgotten = new ArrayList<>(shuffles.size());
    synchronized (lock) {
      for (int shuffle : shuffles) {
        ShuffleKey key = new ShuffleKey(application, shuffle);
        addTombstone(key);
        forgotten.add(key);
        ShuffleLog log = drop(key);
        if (log != null) {
          removed.add(log);
        }
      }
    }
    onForgotten.accept(forgotten);
    removed.forEach(ShuffleLog::expire);
    return removed.size();
  }

  /**
   * Removes all shuffles of an application.
   *
   * @return number of shuffles
   */
  public int removeApplication(String application) {
    List<Integer> shuffles;
    synchronized (lock) {
      shuffles = new ArrayList<>(shufflesByApplication.getOrDefault(application, new TreeSet<>()));
    }
    return removeShuffles(application, shuffles);
  }

  /** Lets {@link #close} delete all runs, because other servers have their data. */
  public void deleteRunsAtClose() {
    deleteRunsAtClose = true;
  }

  /**
   * Releases all memory. Runs stay on disk for the next start of the server, unless {@link
   * #deleteRunsAtClose} was called. Idempotent.
   */
  @Override
  public void close() {
    List<ShuffleLog> all;
    synchronized (lock) {
      all = new ArrayList<>(logs.values());
      logs.clear();
      shufflesByApplication.clear();
    }
    all.forEach(deleteRunsAtClose ? ShuffleLog::expire : ShuffleLog::close);
  }

  @GuardedBy("lock")
  private ShuffleLog add(ShuffleKey key) {
    ShuffleLog log = new ShuffleLog(key, config.log(), totals);
    logs.put(key, log);
    shufflesByApplication
        .computeIfAbsent(key.application(), unused -> new TreeSet<>())
        .add(key.shuffle());
    return log;
  }

  @GuardedBy("lock")
  private ShuffleLog drop(ShuffleKey key) {
    ShuffleLog log = logs.remove(key);
    TreeSet<Integer> shuffles = shufflesByApplication.get(key.application());
    if (shuffles != null) {
      shuffles.remove(key.shuffle());
      if (shuffles.isEmpty()) {
        shufflesByApplication.remove(key.application());
      }
    }
    return log;
  }

  @GuardedBy("lock")
  private void addTombstone(ShuffleKey key) {
    tombstones.remove(key);
    tombstones.put(key, Boolean.TRUE);
    if (tombstones.size() > config.maxTombstones()) {
      tombstones.remove(tombstones.keySet().iterator().next());
    }
  }
}
