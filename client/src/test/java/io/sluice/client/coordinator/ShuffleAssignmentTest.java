package io.sluice.client.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.PartitionRange;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ShuffleAssignmentTest {
  private static final ShuffleId SHUFFLE =
      ShuffleId.newBuilder().setApplication("app").setShuffle(3).build();

  private static RegisterShuffleReply reply(int servers, int[]... ranges) {
    RegisterShuffleReply.Builder reply = RegisterShuffleReply.newBuilder();
    for (int i = 0; i < servers; i++) {
      reply.addServers(ServerId.newBuilder().setName("s" + i).setHost("s" + i).setRpcPort(i + 1));
    }
    for (int[] range : ranges) {
      PartitionRange.Builder one = reply.addRangesBuilder().setFirst(range[0]).setLast(range[1]);
      for (int i = 2; i < range.length; i++) {
        one.addServers(range[i]);
      }
    }
    return reply.build();
  }

  @Test
  void findsTheServersOfEveryPartition() throws Exception {
    Random random = new Random(1);
    for (int round = 0; round < 100; round++) {
      int partitions = 1 + random.nextInt(3000);
      int ranges = 1 + random.nextInt(Math.min(partitions, 20));
      int servers = 1 + random.nextInt(5);
      try (FakeCluster cluster = FakeCluster.inline(servers, new Faults() {})) {
        ShuffleAssignment assignment =
            cluster.assign(partitions, ranges, 1 + random.nextInt(servers));
        for (int partition = 0; partition < partitions; partition++) {
          int range = assignment.rangeOf(partition);
          assertThat(partition)
              .isBetween(assignment.firstPartition(range), assignment.lastPartition(range));
          assertThat(assignment.serversOf(partition))
              .hasSize(assignment.replicaCount(range))
              .first()
              .isEqualTo(assignment.servers().get(assignment.serverIndex(range, 0)));
        }
      }
    }
  }

  @Test
  void travelsAsBytesAndAsJavaSerialization() throws Exception {
    ShuffleAssignment assignment =
        ShuffleAssignment.of(
            SHUFFLE, 100, reply(2, new int[] {0, 49, 0, 1}, new int[] {50, 99, 1}));

    assertThat(ShuffleAssignment.fromBytes(assignment.toBytes())).isEqualTo(assignment);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(assignment);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      assertThat(in.readObject()).isEqualTo(assignment).hasSameHashCodeAs(assignment);
    }
  }

  @Test
  void isAsLargeAsItsRangesNotItsPartitions() throws Exception {
    int small = ShuffleAssignment.of(SHUFFLE, 2, reply(1, new int[] {0, 1, 0})).toBytes().length;
    int large =
        ShuffleAssignment.of(SHUFFLE, 1 << 23, reply(1, new int[] {0, (1 << 23) - 1, 0}))
            .toBytes()
            .length;

    assertThat(large).isLessThanOrEqualTo(small + 4);
  }

  @Test
  void refusesARepliesThatDoesNotCoverThePartitions() {
    for (RegisterShuffleReply wrong :
        new RegisterShuffleReply[] {
          reply(1),
          reply(1, new int[] {0, 8, 0}),
          reply(1, new int[] {1, 9, 0}),
          reply(1, new int[] {0, 4, 0}, new int[] {6, 9, 0}),
          reply(1, new int[] {0, 5, 0}, new int[] {5, 9, 0}),
          reply(1, new int[] {0, 9, 1}),
          reply(1, new int[] {0, 9}),
        }) {
      assertThatThrownBy(() -> ShuffleAssignment.of(SHUFFLE, 10, wrong))
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining("assignment does not fit");
    }
  }

  @Test
  void refusesEveryTruncationAndForeignBytes() throws Exception {
    byte[] bytes =
        ShuffleAssignment.of(SHUFFLE, 10, reply(2, new int[] {0, 4, 0}, new int[] {5, 9, 1}))
            .toBytes();
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> ShuffleAssignment.fromBytes(cut))
          .isInstanceOf(SluiceException.class);
    }
    bytes[0] = 9;
    assertThatThrownBy(() -> ShuffleAssignment.fromBytes(bytes))
        .hasMessageContaining("expected version 1, found 9");
  }
}
