package io.sluice.server.disk;

/**
 * What of the run files outlives a crash of the machine. A crash of the process alone costs none of
 * them: what was written is in the hands of the system.
 */
public enum Fsync {
  /** What the system has happened to write: after a crash of the machine the last runs may go. */
  NEVER,
  /** Every run, from when it exists; each spill waits for its disk. */
  RUN,
  /** Runs that are older than an interval. */
  INTERVAL
}
