package io.sluice.server.disk;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Chooses the disk for the next run: an SSD if one is available, else an HDD; disks whose last
 * write failed come last. Disks of one kind share the runs by weight, which is free space divided
 * by queue depth: they fill up evenly, and a busy disk gets fewer runs.
 *
 * <p>Shares are exact (fair queueing). "Power of two choices" fits many schedulers with stale views
 * of a large cluster; here one planner sees the current state of a few dozen disks.
 *
 * <p>Deterministic. Not thread-safe.
 *
 * @param <T> type of the target, for example a disk
 */
public final class DiskPlacement<T> {
  /**
   * A disk that can store the run.
   *
   * @param freeBytes free space, at least 1
   * @param queueDepth number of pending writes
   * @param idle whether a write can start at once
   * @param doubtful whether its last write failed
   */
  public record PlacementCandidate<T>(
      T target, StorageKind kind, long freeBytes, int queueDepth, boolean idle, boolean doubtful) {}

  // Virtual finish time of the runs assigned to each target.
  private final Map<T, Double> finishes = new HashMap<>();
  // Targets of the last choice.
  private Set<T> offered = Set.of();

  /**
   * Chooses among the disks with free space.
   *
   * @param bytes estimated length of the run
   * @param urgent whether to use a slower disk rather than wait for a busy faster one
   * @return null if there is no candidate, or the caller should wait for a busy one
   */
  public T choose(List<PlacementCandidate<T>> candidates, long bytes, boolean urgent) {
    for (boolean doubtful : new boolean[] {false, true}) {
      for (StorageKind kind : StorageKind.values()) {
        List<PlacementCandidate<T>> idle = new ArrayList<>();
        boolean busy = false;
        for (PlacementCandidate<T> candidate : candidates) {
          if (candidate.kind() == kind && candidate.doubtful() == doubtful) {
            if (candidate.idle()) {
              idle.add(candidate);
            } else {
              busy = true;
            }
          }
        }
        if (!idle.isEmpty()) {
          return share(idle, bytes);
        }
        if (busy && !urgent) {
          return null;
        }
      }
    }
    return null;
  }

  private T share(List<PlacementCandidate<T>> candidates, long bytes) {
    double floor = Double.POSITIVE_INFINITY;
    for (PlacementCandidate<T> candidate : candidates) {
      if (offered.contains(candidate.target())) {
        floor = Math.min(floor, finishes.getOrDefault(candidate.target(), 0.0));
      }
    }
    PlacementCandidate<T> best = null;
    double bestFinish = 0;
    for (PlacementCandidate<T> candidate : candidates) {
      double start = finishes.getOrDefault(candidate.target(), 0.0);
      if (floor < Double.POSITIVE_INFINITY) {
        // A disk that returns starts at the virtual time of the others, or it would get all runs.
        start = Math.max(start, floor);
      }
      finishes.put(candidate.target(), start);
      double finish = start + (double) bytes * (1 + candidate.queueDepth()) / candidate.freeBytes();
      if (best == null || finish < bestFinish) {
        best = candidate;
        bestFinish = finish;
      }
    }
    finishes.put(best.target(), bestFinish);
    offered = Set.copyOf(candidates.stream().map(PlacementCandidate::target).toList());
    return best.target();
  }
}
