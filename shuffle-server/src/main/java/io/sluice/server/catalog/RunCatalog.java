package io.sluice.server.catalog;

import io.sluice.common.run.RunId;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;

/**
 * The catalog of the runs in one directory. Each change is atomic and survives a crash of the
 * process. It survives a crash of the machine after {@link #sync}, or at once if the catalog was
 * opened so.
 *
 * <p>Thread-safe. Every call may wait for the disk.
 */
public interface RunCatalog extends AutoCloseable {
  /**
   * Adds a run whose file is complete and renamed. Adding an existing run changes nothing.
   *
   * <p>The replaced runs stay until they are removed, because the log may still refuse the merged
   * run and keep its inputs. If both exist after a crash, recovery drops the inputs.
   */
  void add(RunRecord run) throws IOException;

  /**
   * Records the damaged blocks of a run, which replaces an earlier record. It is removed with the
   * run.
   *
   * @param blocks length of each block, by its offset in the file
   */
  void recordDamage(RunId run, SortedMap<Long, Integer> blocks) throws IOException;

  /** The recorded damage of every run that has any. */
  Map<RunId, NavigableMap<Long, Integer>> damage() throws IOException;

  /** Removes runs atomically; ignores unknown ones. Their files may be deleted afterwards. */
  void remove(Collection<RunId> runs) throws IOException;

  /** Every run, in no order. */
  List<RunRecord> runs() throws IOException;

  /** Adds tombstones of deleted shuffles. Above the maximum number the oldest are dropped. */
  void addTombstones(Collection<Tombstone> shuffles) throws IOException;

  /** Every tombstone, in no order. */
  List<Tombstone> tombstones() throws IOException;

  /** Records a clean stop, which replaces the previous record. */
  void recordCleanStop(CleanStop stop) throws IOException;

  /** The last recorded clean stop. */
  Optional<CleanStop> lastCleanStop() throws IOException;

  /** Makes all changes so far survive a crash of the machine. */
  void sync() throws IOException;

  /** Idempotent. */
  @Override
  void close() throws IOException;
}
