package io.sluice.server.background;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Selects the runs of a disk to verify: those first seen or last verified at least one interval
 * ago, oldest first. Not thread-safe; uses no clock.
 */
final class ScrubSchedule<R> {
  private final long intervalNanos;
  private Map<R, Long> since = new HashMap<>();

  ScrubSchedule(long intervalNanos) {
    this.intervalNanos = intervalNanos;
  }

  /**
   * Runs to verify now, in order.
   *
   * @param runs all runs of the disk; others are removed from the schedule
   */
  List<R> due(Collection<R> runs, long nowNanos) {
    Map<R, Long> kept = new HashMap<>();
    List<R> due = new ArrayList<>();
    for (R run : runs) {
      long from = since.getOrDefault(run, nowNanos);
      kept.put(run, from);
      if (nowNanos - from >= intervalNanos) {
        due.add(run);
      }
    }
    since = kept;
    due.sort((a, b) -> Long.compare(kept.get(a) - nowNanos, kept.get(b) - nowNanos));
    return due;
  }

  /** Records an attempt to verify a run: it is due again after another interval. */
  void done(R run, long nowNanos) {
    since.replace(run, nowNanos);
  }
}
