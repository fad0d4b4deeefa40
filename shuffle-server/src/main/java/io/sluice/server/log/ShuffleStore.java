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
 * Every shuffle of a server, and tombstones of those it has forgotten: a late push is refused and a
 * late reader told why, instead of bringing a shuffle back to life.
 *
 * <p>Thread-safe. Removing gives memory back before it returns; files go when their readers are
 * done.
 */
public final class ShuffleStore implements AutoCloseable {
  private final StoreConfig config;
  private final LogTotals totals;
  // Changed under lock only; read without it.
  private final ConcurrentHashMap<ShuffleKey, ShuffleLog> logs = new ConcurrentHashMap<>();
  private final Object lock = new Object();

  // In order of removal.
  @GuardedBy("lock")
  private final LinkedHashMap<ShuffleKey, Boolean> tombstones = new LinkedHashMap<>();

  @GuardedBy("lock")
  private final Map<String, TreeSet<Integer>> shufflesByApplication = new HashMap<>();

  private volatile Consumer<List<ShuffleKey>> onForgotten = unused -> {};

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

  /** The log of a shuffle, or null. */
  public ShuffleLog find(ShuffleKey key) {
    return logs.get(key);
  }

  /**
   * The log of a shuffle, made if it is new.
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
              StatusCode.NO_SPACE, key + ": the server holds " + logs.size() + " shuffles already");
        }
        log = add(key);
      }
      return log;
    }
  }

  /**
   * Drops the log of a shuffle that was never written and that nobody waits for any more: what
   * waiting leaves behind would otherwise stay until the application ends. No tombstone: its first
   * push may still come.
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
   * The log of a shuffle of which an earlier life of the server has left runs, made if it is new:
   * however many there are, they hold disk space until they are forgotten.
   */
  public ShuffleLog restore(ShuffleKey key) {
    synchronized (lock) {
      ShuffleLog log = logs.get(key);
      return log == null ? add(key) : log;
    }
  }

  /**
   * Remembers shuffles as forgotten that an earlier life of the server forgot.
   *
   * @param shuffles in the order of their removal; none of them is here
   */
  public void restoreForgotten(Collection<ShuffleKey> shuffles) {
    synchronized (lock) {
      shuffles.forEach(this::bury);
    }
  }

  /**
   * Has a listener told of shuffles that were forgotten, on the thread that forgot them, outside
   * any lock and before their runs are discarded.
   */
  public void onForgotten(Consumer<List<ShuffleKey>> listener) {
    onForgotten = listener;
  }

  /** Whether the shuffle was here and has been forgotten. */
  public boolean isExpired(ShuffleKey key) {
    synchronized (lock) {
      return tombstones.containsKey(key);
    }
  }

  /**
   * Refuses a shuffle that has been forgotten.
   *
   * @throws SluiceException EXPIRED
   */
  public void checkNotExpired(ShuffleKey key) throws SluiceException {
    if (isExpired(key)) {
      throw new SluiceException(
          StatusCode.EXPIRED,
          key + ": the shuffle was unregistered or its application's lease ended");
    }
  }

  /** Applications with at least one shuffle here, in no order. */
  public List<String> applications() {
    synchronized (lock) {
      return new ArrayList<>(shufflesByApplication.keySet());
    }
  }

  public int shuffleCount() {
    return logs.size();
  }

  /** Every log at this moment, in no order. */
  public Collection<ShuffleLog> logs() {
    return logs.values();
  }

  /**
   * Forgets shuffles of an application. Those that were never here are remembered too: their late
   * pushes are refused.
   *
   * @return how many of them were there
   */
  public int removeShuffles(String application, Collection<Integer> shuffles) {
    List<ShuffleLog> removed = new ArrayList<>();
    List<ShuffleKey> forgotten = new ArrayList<>(shuffles.size());
    synchronized (lock) {
      for (int shuffle : shuffles) {
        ShuffleKey key = new ShuffleKey(application, shuffle);
        bury(key);
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
   * Forgets every shuffle of an application.
   *
   * @return how many there were
   */
  public int removeApplication(String application) {
    List<Integer> shuffles;
    synchronized (lock) {
      shuffles = new ArrayList<>(shufflesByApplication.getOrDefault(application, new TreeSet<>()));
    }
    return removeShuffles(application, shuffles);
  }

  /** Gives all memory back; runs stay, for the next life of the server. Idempotent. */
  @Override
  public void close() {
    List<ShuffleLog> all;
    synchronized (lock) {
      all = new ArrayList<>(logs.values());
      logs.clear();
      shufflesByApplication.clear();
    }
    all.forEach(ShuffleLog::close);
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
  private void bury(ShuffleKey key) {
    tombstones.remove(key);
    tombstones.put(key, Boolean.TRUE);
    if (tombstones.size() > config.maxTombstones()) {
      tombstones.remove(tombstones.keySet().iterator().next());
    }
  }
}
