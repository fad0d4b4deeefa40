package io.sluice.mr;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.PartitionRange;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;

/** Assignments for tests. */
public final class Assignments {
  private Assignments() {}

  /** Servers {@code server-0}, {@code server-1} ..., each with the same number of partitions. */
  public static ShuffleAssignment of(int servers, int partitions) throws SluiceException {
    RegisterShuffleReply.Builder reply = RegisterShuffleReply.newBuilder();
    for (int i = 0; i < servers; i++) {
      reply.addServers(server(i));
      reply.addRanges(
          PartitionRange.newBuilder()
              .setFirst(partitions * i / servers)
              .setLast(partitions * (i + 1) / servers - 1)
              .addServers(i));
    }
    return ShuffleAssignment.of(
        ShuffleId.newBuilder().setApplication("application_1_0001").build(),
        partitions,
        reply.build());
  }

  public static ServerId server(int number) {
    return ServerId.newBuilder()
        .setName("server-" + number)
        .setHost("host-" + number + ".example")
        .setRpcPort(19999)
        .setNettyPort(17000)
        .setEpoch(1)
        .build();
  }
}
