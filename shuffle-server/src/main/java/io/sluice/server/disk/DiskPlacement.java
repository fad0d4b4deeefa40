package io.sluice.server.disk;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which disk the next run goes to: an SSD while one takes it, else an HDD; those whose last write
 * failed come last. Disks of a kind share the runs by weight, free space divided by what is queued:
 * so they fill up together, and one that is busy with other work gets less.
 *
 * <p>The shares are exact, by fair queueing, and not drawn at random from two choices: that is for
 * many deciders with stale views of a large fleet. Here one planner sees the true state of a few
 * dozen disks, and looking at all of them costs nothing.
 *
 * <p>No clock, no randomness. Not thread-safe.
 *
 * @param <T> what a place stands for
 */
public final class DiskPlacement<T> {
  /**
   * A disk that could take a run.
   *
   * @param freeBytes room for it, at least 1
   * @param queueDepth files that are being written to it already
   * @param idle whether it can begin at once
   * @param doubtful whether its last write failed
   */
  public record Place<T>(
      T target, StorageKind kind, long freeBytes, int queueDepth, boolean idle, boolean doubtful) {}

  // Virtual time at which what a target was given would be done.
  private final Map<T, Double> finishes = new HashMap<>();
  // Those that the last choice was among.
  private Set<T> offered = Set.of();

  /**
   * Chooses among the places that have room.
   *
   * @param bytes about as many as will be written
   * @param urgent whether anything is better than waiting for a busy disk of a better kind
   * @return null if there is none, or it is better to wait for one
   */
  public T choose(List<Place<T>> places, long bytes, boolean urgent) {
    for (boolean doubtful : new boolean[] {false, true}) {
      for (StorageKind kind : StorageKind.values()) {
        List<Place<T>> idle = new ArrayList<>();
        boolean busy = false;
        for (Place<T> place : places) {
          if (place.kind() == kind && place.doubtful() == doubtful) {
            if (place.idle()) {
              idle.add(place);
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

  private T share(List<Place<T>> places, long bytes) {
    double floor = Double.POSITIVE_INFINITY;
    for (Place<T> place : places) {
      if (offered.contains(place.target())) {
        floor = Math.min(floor, finishes.getOrDefault(place.target(), 0.0));
      }
    }
    Place<T> best = null;
    double bestFinish = 0;
    for (Place<T> place : places) {
      double start = finishes.getOrDefault(place.target(), 0.0);
      if (floor < Double.POSITIVE_INFINITY) {
        // One that was away does not get all it missed at once: it begins where the others are.
        start = Math.max(start, floor);
      }
      finishes.put(place.target(), start);
      double finish = start + (double) bytes * (1 + place.queueDepth()) / place.freeBytes();
      if (best == null || finish < bestFinish) {
        best = place;
        bestFinish = finish;
      }
    }
    finishes.put(best.target(), bestFinish);
    offered = Set.copyOf(places.stream().map(Place::target).toList());
    return best.target();
  }
}
