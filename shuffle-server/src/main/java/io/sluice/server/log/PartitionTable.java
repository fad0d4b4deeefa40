package io.sluice.server.log;

import java.util.ArrayList;
import java.util.List;

/**
 * The partitions of one shuffle by their index: open addressing, at most two thirds full, since an
 * entry of a general map would take as much heap as what it leads to. Guarded by the lock of its
 * {@link ShuffleLog}.
 */
final class PartitionTable {
  private static final int LEAST_SLOTS = 4;

  // A power of two of them.
  private PartitionLog[] slots = new PartitionLog[LEAST_SLOTS];
  private int count;

  int count() {
    return count;
  }

  /** A partition, or null. */
  PartitionLog find(int index) {
    return slots[slotOf(index)];
  }

  /** Adds a partition that {@link #find} does not find. */
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

  /** All of them, by index. */
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
    slots = new PartitionLog[LEAST_SLOTS];
    count = 0;
  }

  private int slotOf(int index) {
    int mask = slots.length - 1;
    // Fibonacci hashing: even for ranges as for strides.
    int slot = (index * 0x9E3779B9) >>> Integer.numberOfLeadingZeros(mask);
    while (slots[slot] != null && slots[slot].index != index) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }
}
