package io.sluice.server.catalog;

import io.sluice.common.run.RunId;
import io.sluice.server.log.ShuffleKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A catalog in memory with injected failures. It stays usable after {@link #close}. Thread-safe.
 */
public class InMemoryCatalog implements RunCatalog {
  private final int maxTombstones;
  // All guarded by this.
  private final Map<RunId, RunRecord> runs = new HashMap<>();
  private final Map<ShuffleKey, Tombstone> tombstones = new HashMap<>();
  private final Map<RunId, NavigableMap<Long, Integer>> damage = new HashMap<>();
  private CleanStop stop;
  private IOException failure;

  public InMemoryCatalog() {
    this(1000);
  }

  public InMemoryCatalog(int maxTombstones) {
    this.maxTombstones = maxTombstones;
  }

  /** Copies all changes so far, as another process finds them after a crash of this one. */
  protected synchronized void copyTo(InMemoryCatalog next) {
    next.runs.putAll(runs);
    next.damage.putAll(damage);
    next.tombstones.putAll(tombstones);
    next.stop = stop;
  }

  /** Replaces all contents by those of another catalog. */
  protected synchronized void setTo(InMemoryCatalog other) {
    runs.clear();
    tombstones.clear();
    other.copyTo(this);
  }

  /** Every call fails with {@code problem} from now on; null: calls succeed again. */
  public synchronized void failWith(IOException problem) {
    failure = problem;
  }

  @Override
  public synchronized void add(RunRecord run) throws IOException {
    check();
    runs.put(run.id(), run);
  }

  @Override
  public synchronized void remove(Collection<RunId> gone) throws IOException {
    check();
    gone.forEach(runs::remove);
    gone.forEach(damage::remove);
  }

  @Override
  public synchronized void recordDamage(RunId run, SortedMap<Long, Integer> blocks)
      throws IOException {
    check();
    damage.put(run, new TreeMap<>(blocks));
  }

  @Override
  public synchronized Map<RunId, NavigableMap<Long, Integer>> damage() throws IOException {
    check();
    return new HashMap<>(damage);
  }

  @Override
  public synchronized List<RunRecord> runs() throws IOException {
    check();
    return new ArrayList<>(runs.values());
  }

  @Override
  public synchronized void addTombstones(Collection<Tombstone> shuffles) throws IOException {
    check();
    shuffles.forEach(tombstone -> tombstones.put(tombstone.shuffle(), tombstone));
    while (tombstones.size() > maxTombstones) {
      Tombstone oldest =
          tombstones.values().stream()
              .min(Comparator.comparingLong(Tombstone::deletedAtMs))
              .orElseThrow();
      tombstones.remove(oldest.shuffle());
    }
  }

  @Override
  public synchronized List<Tombstone> tombstones() throws IOException {
    check();
    return new ArrayList<>(tombstones.values());
  }

  @Override
  public synchronized void recordCleanStop(CleanStop cleanly) throws IOException {
    check();
    stop = cleanly;
  }

  @Override
  public synchronized Optional<CleanStop> lastCleanStop() throws IOException {
    check();
    return Optional.ofNullable(stop);
  }

  @Override
  public synchronized void sync() throws IOException {
    check();
  }

  @Override
  public void close() {}

  private void check() throws IOException {
    if (failure != null) {
      throw new IOException(failure.getMessage(), failure);
    }
  }
}
