package io.sluice.client.read;

import io.sluice.client.coordinator.ShuffleAssignment;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * In which order servers are asked for the partitions of one range: the whole chain of one replica
 * slot, oldest first, then the chains of the other slots. Blocks may be on any server of a chain;
 * those of other slots are copies. Immutable, shared by the partitions of the range.
 */
final class VisitOrder {
  private final int[] servers;
  private final int[] slots;
  private final boolean spread;

  private VisitOrder(int[] servers, int[] slots, boolean spread) {
    this.servers = servers;
    this.slots = slots;
    this.spread = spread;
  }

  /**
   * @param firstSlot the replica slot to begin with
   */
  static VisitOrder of(ShuffleAssignment assignment, int range, int firstSlot) {
    int slotCount = assignment.replicaCount(range);
    int places = 0;
    boolean spread = false;
    for (int slot = 0; slot < slotCount; slot++) {
      places += assignment.chainLength(range, slot);
      spread |= assignment.chainLength(range, slot) > 1;
    }
    int[] servers = new int[places];
    int[] slots = new int[places];
    int count = 0;
    for (int i = 0; i < slotCount; i++) {
      int slot = (firstSlot + i) % slotCount;
      for (int place = 0; place < assignment.chainLength(range, slot); place++) {
        int server = assignment.chainServer(range, slot, place);
        // One that serves two slots is asked once: it gives what it has for both.
        if (Arrays.stream(servers, 0, count).noneMatch(asked -> asked == server)) {
          servers[count] = server;
          slots[count++] = slot;
        }
      }
    }
    return new VisitOrder(Arrays.copyOf(servers, count), Arrays.copyOf(slots, count), spread);
  }

  /** This order, and then those of another one that are not in it. */
  VisitOrder followedBy(VisitOrder other) {
    int[] places =
        IntStream.range(0, other.servers.length)
            .filter(place -> Arrays.stream(servers).noneMatch(one -> one == other.servers[place]))
            .toArray();
    return new VisitOrder(
        joined(servers, Arrays.stream(places).map(place -> other.servers[place])),
        joined(slots, Arrays.stream(places).map(place -> other.slots[place])),
        spread || other.spread);
  }

  private static int[] joined(int[] first, IntStream more) {
    return IntStream.concat(Arrays.stream(first), more).toArray();
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

  /** Whether a slot has had several servers, so that none may have all that was pushed to it. */
  boolean isSpread() {
    return spread;
  }
}
