package io.sluice.client.read;

import io.sluice.client.coordinator.ShuffleAssignment;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Order in which the servers of one partition range are visited: the whole chain of one replica,
 * oldest server first, then the chains of the other replicas. Blocks may be on any server of a
 * chain; other chains have copies of them. Immutable, shared by the partitions of the range.
 */
final class VisitOrder {
  private final int[] servers;
  private final int[] replicas;
  private final boolean spread;

  private VisitOrder(int[] servers, int[] replicas, boolean spread) {
    this.servers = servers;
    this.replicas = replicas;
    this.spread = spread;
  }

  /**
   * @param firstReplica replica to visit first
   */
  static VisitOrder of(ShuffleAssignment assignment, int range, int firstReplica) {
    int replicaCount = assignment.replicaCount(range);
    int positions = 0;
    boolean spread = false;
    for (int replica = 0; replica < replicaCount; replica++) {
      positions += assignment.chainLength(range, replica);
      spread |= assignment.chainLength(range, replica) > 1;
    }
    int[] servers = new int[positions];
    int[] replicas = new int[positions];
    int count = 0;
    for (int i = 0; i < replicaCount; i++) {
      int replica = (firstReplica + i) % replicaCount;
      for (int position = 0; position < assignment.chainLength(range, replica); position++) {
        int server = assignment.chainServer(range, replica, position);
        // A server of two replicas is visited once: it returns its blocks of both.
        if (Arrays.stream(servers, 0, count).noneMatch(asked -> asked == server)) {
          servers[count] = server;
          replicas[count++] = replica;
        }
      }
    }
    return new VisitOrder(Arrays.copyOf(servers, count), Arrays.copyOf(replicas, count), spread);
  }

  /** Returns this order, followed by the servers of another one that are not in it. */
  VisitOrder followedBy(VisitOrder other) {
    int[] positions =
        IntStream.range(0, other.servers.length)
            .filter(
                position -> Arrays.stream(servers).noneMatch(one -> one == other.servers[position]))
            .toArray();
    return new VisitOrder(
        joined(servers, Arrays.stream(positions).map(position -> other.servers[position])),
        joined(replicas, Arrays.stream(positions).map(position -> other.replicas[position])),
        spread || other.spread);
  }

  private static int[] joined(int[] first, IntStream more) {
    return IntStream.concat(Arrays.stream(first), more).toArray();
  }

  /** Number of servers. */
  int count() {
    return servers.length;
  }

  /** Index in the assignment of the server at a position of this order. */
  int server(int position) {
    return servers[position];
  }

  /** The replica slot of the server at a position of this order. */
  int replica(int position) {
    return replicas[position];
  }

  /** Whether a later server belongs to another replica, so that it has copies. */
  boolean hasOtherReplicaAfter(int position) {
    return Arrays.stream(replicas, position + 1, replicas.length)
        .anyMatch(replica -> replica != replicas[position]);
  }

  /**
   * Whether a replica has had several servers, so that no single server may have all its blocks.
   */
  boolean isSpread() {
    return spread;
  }
}
