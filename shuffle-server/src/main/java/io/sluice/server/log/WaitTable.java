package io.sluice.server.log;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Waits for map attempts of one shuffle. Guarded by the lock of its {@link ShuffleLog}. */
final class WaitTable {
  private final Map<Integer, List<OpenWait>> byPartition = new HashMap<>();
  private final Set<OpenWait> waits = new HashSet<>();

  boolean isEmpty() {
    return waits.isEmpty();
  }

  void add(OpenWait wait) {
    waits.add(wait);
    for (int partition : wait.partitions) {
      byPartition.computeIfAbsent(partition, unused -> new ArrayList<>(1)).add(wait);
    }
  }

  /** Removes a wait; returns true on the first call only. */
  boolean end(OpenWait wait) {
    if (!wait.end()) {
      return false;
    }
    waits.remove(wait);
    for (int partition : wait.partitions) {
      List<OpenWait> there = byPartition.get(partition);
      there.remove(wait);
      if (there.isEmpty()) {
        byPartition.remove(partition);
      }
    }
    return true;
  }

  /** Ends all waits and returns them, so that the caller runs them without the lock. */
  List<OpenWait> endAll() {
    List<OpenWait> ended = new ArrayList<>(waits);
    ended.forEach(this::end);
    return ended;
  }

  void sawAttempt(long attempt, int ordinal) {
    for (OpenWait wait : waits) {
      wait.sawAttempt(attempt, ordinal);
    }
  }

  /**
   * Records that an attempt is complete in a partition.
   *
   * @param ended receives the waits that this ends
   */
  void completed(int partition, int ordinal, List<OpenWait> ended) {
    for (OpenWait wait : List.copyOf(byPartition.getOrDefault(partition, List.of()))) {
      wait.completed(partition, ordinal);
      if (wait.isSatisfied() && end(wait)) {
        ended.add(wait);
      }
    }
  }
}
