package io.sluice.client.read;

import io.sluice.client.coordinator.ShuffleAssignment;
import java.util.Arrays;

/**
 * In which order servers are asked for the partitions of one range: the whole chain of one replica
 * slot, oldest first, then the chains of the other slots. Blocks may be on any server of a chain;
 * those of other slots are copies. Immutable, shared by the partitions of the range.
 */
final class VisitOrder {
  private final int[] servers;
  private final int[] slots;
  private final boolean changed;

  private VisitOrder(int[] servers, int[] slots, boolean changed) {
    this.servers = servers;
    this.slots = slots;
    this.changed = changed;
  }

  static VisitOrder of(ShuffleAssignment assignment, int range, int firstSlot) {
    int slotCount = assignment.replicaCount(range);
    int places = slotCount;
    int[] servers = new int[places];
    int[] slots = new int[places];
    int count = 0;
    for (int i = 0; i < slotCount; i++) {
      int slot = (firstSlot + i) % slotCount;
      servers[count] = assignment.serverIndex(range, slot);
      slots[count++] = slot;
    }
    return new VisitOrder(servers, slots, false);
  }

  /** Servers to ask at most. */
  int count() {
    return servers.length;
  }

  /** Index in the assignment of the server to ask as number {@code place}. */
  int server(int place) {
    return servers[place];
  }

  /** Whether a server that is asked later has a copy of what this one should have. */
  boolean hasCopyAfter(int place) {
    return Arrays.stream(slots, place + 1, slots.length).anyMatch(slot -> slot != slots[place]);
  }

  /** Whether no single server has all that was pushed to a slot. */
  boolean isSpread() {
    return changed;
  }
}
