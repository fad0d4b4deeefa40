package io.sluice.server.background;

import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.memory.MemoryBudget;
import java.util.HashSet;
import java.util.Set;

/**
 * Limits the memory of applications with a huge partition to a share of the budget each. Their
 * shuffles are spilled without waiting for the high watermark. A run has a quarter of that share,
 * so that one run is written while the next ones fill.
 *
 * <p>Not thread-safe: used by the planner.
 */
final class HugeSpills {
  /** Runs per share: one being written, one waiting, two filling. */
  private static final int RUNS_PER_LIMIT = 4;

  private final ShuffleStore store;
  private final MemoryBudget memory;
  private final long limitBytes;
  private final long runBytes;

  HugeSpills(ShuffleStore store, MemoryBudget memory, SpillConfig config) {
    this.store = store;
    this.memory = memory;
    this.limitBytes = (long) (memory.capacityBytes() * config.hugeMemoryRatio());
    this.runBytes = Math.max(1, Math.min(config.maxRunBytes(), limitBytes / RUNS_PER_LIMIT));
  }

  /** Updates the limited applications in the memory budget. Cheap while there are none. */
  void limit() {
    Set<String> applications = new HashSet<>();
    for (ShuffleLog log : store.totals().hugeLogs()) {
      applications.add(log.key().application());
    }
    memory.setLimit(applications, limitBytes);
  }

  /** Length of a run. */
  long runBytes() {
    return runBytes;
  }

  /**
   * The log to spill now, or null: one with bytes for a full run, or one whose frames wait for
   * memory.
   */
  ShuffleLog next() {
    ShuffleLog fullest = fullest(store.totals().hugeLogs(), null);
    if (fullest != null && fullest.bufferedBytes() >= runBytes) {
      return fullest;
    }
    for (String application : memory.waitingForLimit()) {
      ShuffleLog log = fullest(store.logs(), application);
      if (log != null) {
        return log;
      }
    }
    return null;
  }

  /**
   * @param application restricts the logs to this application; null: all logs
   * @return null if nothing is buffered
   */
  private static ShuffleLog fullest(Iterable<ShuffleLog> logs, String application) {
    ShuffleLog fullest = null;
    long maxBytes = 0;
    for (ShuffleLog log : logs) {
      if (application == null || log.key().application().equals(application)) {
        long buffered = log.bufferedBytes();
        if (buffered > maxBytes) {
          fullest = log;
          maxBytes = buffered;
        }
      }
    }
    return fullest;
  }
}
