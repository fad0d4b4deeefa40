package io.sluice.server.background;

import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.memory.MemoryBudget;
import java.util.HashSet;
import java.util.Set;

/**
 * Limits the memory of applications with a huge partition to a share of the budget each. Their
 * shuffles are spilled without waiting for the high watermark, but above it, other applications
 * have their turns ({@link SpillOrder}). A run has a quarter of that share, so that one run is
 * written while the next ones fill.
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
   * The applications to spill now: those with bytes for a full run in a shuffle with a huge
   * partition, and those whose frames wait for the limit.
   */
  Set<String> due() {
    Set<String> due = new HashSet<>(memory.waitingForLimit());
    for (ShuffleLog log : store.totals().hugeLogs()) {
      if (log.bufferedBytes() >= runBytes) {
        due.add(log.key().application());
      }
    }
    return due;
  }
}
