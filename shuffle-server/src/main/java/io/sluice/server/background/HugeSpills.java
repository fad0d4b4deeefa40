package io.sluice.server.background;

import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.memory.MemoryBudget;
import java.util.HashSet;
import java.util.Set;

/**
 * Keeps applications that have a huge partition from taking memory from others: each is limited to
 * a share of it, and their shuffles go to disk without waiting for the high mark, in runs of a
 * quarter of that share, so that one is written while the next fill.
 *
 * <p>Not thread-safe: used by the planner.
 */
final class HugeSpills {
  /** Runs of one application's share: one being written, one waiting, two filling. */
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

  /** Lets the memory know who is limited now. Cheap while there is nobody. */
  void limit() {
    Set<String> applications = new HashSet<>();
    for (ShuffleLog log : store.totals().hugeLogs()) {
      applications.add(log.key().application());
    }
    memory.setLimit(applications, limitBytes);
  }

  /** Size of the runs. */
  long runBytes() {
    return runBytes;
  }

  /** The log to spill now, or null: one that has a whole run, or whoever lets a body wait. */
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
   * @param application only its logs; null for all
   * @return null if nothing is buffered
   */
  private static ShuffleLog fullest(Iterable<ShuffleLog> logs, String application) {
    ShuffleLog fullest = null;
    long most = 0;
    for (ShuffleLog log : logs) {
      if (application == null || log.key().application().equals(application)) {
        long buffered = log.bufferedBytes();
        if (buffered > most) {
          fullest = log;
          most = buffered;
        }
      }
    }
    return fullest;
  }
}
