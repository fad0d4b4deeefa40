package io.sluice.server.catalog;

import io.sluice.common.run.RunId;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * What one directory holds. Each change is one step: after a crash of the process at any instant it
 * has happened or it has not. Whether it outlives a crash of the machine is for {@link #sync}, or
 * for how the catalog was opened, to say.
 *
 * <p>Thread-safe. Every call may wait for the disk.
 */
public interface RunCatalog extends AutoCloseable {
  /**
   * Makes a run visible, whose file is whole and has its name. Adding what is there already changes
   * nothing.
   *
   * <p>The runs that it replaces stay until they are removed, because until then it is not certain
   * that it does: the log may refuse the merged run, and goes on with its inputs. Where a crash
   * leaves both, recovery forgets the inputs.
   */
  void add(RunRecord run) throws IOException;

  /** Forgets runs, those that are there, in one step. Their files may be deleted afterwards. */
  void remove(Collection<RunId> runs) throws IOException;

  /** Every run, in no order. */
  List<RunRecord> runs() throws IOException;

  /** Remembers shuffles as forgotten. There is a bound: the oldest are dropped for new ones. */
  void bury(Collection<Tombstone> shuffles) throws IOException;

  /** Every shuffle that is remembered as forgotten, in no order. */
  List<Tombstone> tombstones() throws IOException;

  /** Takes note of a clean stop; it replaces that before. */
  void stopped(CleanStop stop) throws IOException;

  /** The last clean stop. */
  Optional<CleanStop> lastCleanStop() throws IOException;

  /** Makes what has been changed so far outlive a crash of the machine. */
  void sync() throws IOException;

  /** Idempotent. */
  @Override
  void close() throws IOException;
}
