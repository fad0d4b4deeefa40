package io.sluice.server.log;

import java.util.ArrayList;
import java.util.List;

/**
 * Partitions of one shuffle by index. Open addressing, at most two thirds full: an entry of a
 * general map would use as much heap as its value. Guarded by the lock of its {@link ShuffleLog}.
 */
final class PartitionTable {
  private static final int MIN_SLOTS = 4;

  // The length is a power of two.
  private PartitionLog[] slots = new PartitionLog[MIN_SLOTS];
  private int count;

  int count() {
    return count;
  }

  /** Returns a partition, or null. */
  PartitionLog find(int index) {
    return slots[slotOf(index)];
  }

  /** Adds a partition that is not in the table. */
  void add(PartitionLog partition) {
    if ((count + 1) * 3L > slots.length * 2L) {
      PartitionLog[] before = slots;
      slots = new PartitionLog[before.length * 2];
      for (PartitionLog each : before) {
        if (each != null) {
          slots[slotOf(each.index)] = each;
        }
      }
    }
    slots[slotOf(partition.index)] = partition;
    count++;
  }

  /** All partitions, sorted by index. */
  List<PartitionLog> sorted() {
    List<PartitionLog> all = new ArrayList<>(count);
    for (PartitionLog each : slots) {
      if (each != null) {
        all.add(each);
      }
    }
    all.sort((a, b) -> Integer.compare(a.index, b.index));
    return all;
  }

  void clear() {
    slots = new PartitionLog[MIN_SLOTS];
    count = 0;
  }

  private int slotOf(int index) {
    int mask = slots.length - 1;
    // Fibonacci hashing: even distribution for ranges and for strides.
    int slot = (index * 0x9E3779B9) >>> Integer.numberOfLeadingZeros(mask);
    while (slots[slot] != null && slots[slot].index != index) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }
}
