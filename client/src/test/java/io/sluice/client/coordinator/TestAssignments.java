package io.sluice.client.coordinator;

import io.sluice.common.error.SluiceException;
import io.sluice.proto.PartitionRange;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;

/** Assignments with servers named s0, s1 and so on. */
public final class TestAssignments {
  private TestAssignments() {}

  public static ServerId server(int number) {
    return ServerId.newBuilder()
        .setName("s" + number)
        .setHost("host" + number)
        .setRpcPort(1)
        .setNettyPort(2)
        .setEpoch(3)
        .setZone("zone" + number)
        .build();
  }

  /**
   * One range of ten partitions per server; the replicas of a range begin at the server with its
   * number.
   */
  public static ShuffleAssignment of(int shuffle, int servers, int replicas) {
    RegisterShuffleReply.Builder reply = RegisterShuffleReply.newBuilder();
    for (int i = 0; i < servers; i++) {
      reply.addServers(server(i));
      PartitionRange.Builder range = reply.addRangesBuilder().setFirst(10 * i).setLast(10 * i + 9);
      for (int replica = 0; replica < replicas; replica++) {
        range.addServers((i + replica) % servers);
      }
    }
    try {
      return ShuffleAssignment.of(
          ShuffleId.newBuilder().setApplication("app").setShuffle(shuffle).build(),
          10 * servers,
          reply.build());
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
  }
}
