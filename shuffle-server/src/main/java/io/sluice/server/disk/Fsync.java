package io.sluice.server.disk;

/**
 * Policy for syncing run files. A crash of the process alone loses no file, because written bytes
 * are in the page cache.
 */
public enum Fsync {
  /** No sync: a crash of the machine may lose the latest runs. */
  NEVER,
  /** Each run is synced before it is committed; each spill waits for its disk. */
  RUN,
  /** Runs are synced at an interval. */
  INTERVAL
}
