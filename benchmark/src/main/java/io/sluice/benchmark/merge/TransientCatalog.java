package io.sluice.benchmark.merge;

import io.sluice.common.run.RunId;
import io.sluice.server.catalog.CleanStop;
import io.sluice.server.catalog.RunCatalog;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.catalog.Tombstone;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;

/** In-memory catalog of an emulated disk. Thread-safe. */
final class TransientCatalog implements RunCatalog {
  private final Map<RunId, RunRecord> runs = new ConcurrentHashMap<>();

  @Override
  public void add(RunRecord run) {
    runs.put(run.id(), run);
  }

  @Override
  public void remove(Collection<RunId> gone) {
    gone.forEach(runs::remove);
  }

  @Override
  public void recordDamage(RunId run, SortedMap<Long, Integer> blocks) {}

  @Override
  public Map<RunId, NavigableMap<Long, Integer>> damage() {
    return Map.of();
  }

  @Override
  public List<RunRecord> runs() {
    return List.copyOf(runs.values());
  }

  @Override
  public void addTombstones(Collection<Tombstone> shuffles) {}

  @Override
  public List<Tombstone> tombstones() {
    return List.of();
  }

  @Override
  public void recordCleanStop(CleanStop stop) {}

  @Override
  public Optional<CleanStop> lastCleanStop() {
    return Optional.empty();
  }

  @Override
  public void sync() {}

  @Override
  public void close() {}
}
