package io.sluice.client.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.PartitionRange;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
  void encodesAsBytesAndByJavaSerialization() throws Exception {
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
  void sizeDependsOnRangesNotOnPartitions() throws Exception {
    int small = ShuffleAssignment.of(SHUFFLE, 2, reply(1, new int[] {0, 1, 0})).toBytes().length;
    int large =
        ShuffleAssignment.of(SHUFFLE, 1 << 23, reply(1, new int[] {0, (1 << 23) - 1, 0}))
            .toBytes()
            .length;

    assertThat(large).isLessThanOrEqualTo(small + 6);
  }

  @Test
  void rejectsRepliesThatDoNotCoverThePartitions() {
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
          .hasMessageContaining("malformed assignment from the coordinator");
    }
  }

  @Test
  void rejectsTruncatedAndForeignBytes() throws Exception {
    byte[] bytes =
        ShuffleAssignment.of(SHUFFLE, 10, reply(2, new int[] {0, 4, 0}, new int[] {5, 9, 1}))
            .toBytes();
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> ShuffleAssignment.fromBytes(cut))
          .isInstanceOf(SluiceException.class);
    }
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
    assertThatThrownBy(() -> ShuffleAssignment.fromBytes(longer))
        .isInstanceOf(SluiceException.class);
  }

  @Test
  void namesTheRemedyForAnotherVersion() throws Exception {
    byte[] bytes = ShuffleAssignment.of(SHUFFLE, 10, reply(1, new int[] {0, 9, 0})).toBytes();
    bytes[0] = 1;
    assertThatThrownBy(() -> ShuffleAssignment.fromBytes(bytes))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.BAD_VERSION))
        .hasMessageContaining("expected=4 found=1")
        .hasMessageContaining("the same version of Sluice");
  }

  @Test
  void rejectsDamagedBytesOrReadsThemWithinBounds() throws Exception {
    byte[] bytes =
        ShuffleAssignment.of(SHUFFLE, 10, reply(3, new int[] {0, 4, 0}, new int[] {5, 9, 1}))
            .replaceFailed("s0", server("s2"))
            .toBytes();
    Random random = new Random(5);
    for (int round = 0; round < 20_000; round++) {
      byte[] damaged = bytes.clone();
      for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
        damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
      }
      try {
        ShuffleAssignment read = ShuffleAssignment.fromBytes(damaged);
        for (int server = 0; server < read.servers().size(); server++) {
          assertThat(read.replacementOf(server)).isBetween(0, read.servers().size() - 1);
        }
        for (int range = 0; range < read.rangeCount(); range++) {
          assertThat(read.serverIndex(range, 0)).isBetween(0, read.servers().size() - 1);
        }
      } catch (SluiceException refused) {
        assertThat(refused.code()).isIn(StatusCode.BAD_MESSAGE, StatusCode.BAD_VERSION);
      }
    }
  }

  /**
   * Encoded size of an assignment, which every task receives; {@code docs/assignment.md} has these
   * figures.
   */
  @Test
  void takesSomeHundredBytesForTwentyThousandPartitionsOnNineServers() throws Exception {
    int[][] ranges = new int[9][];
    for (int i = 0; i < 9; i++) {
      ranges[i] = new int[] {20_000 * i / 9, 20_000 * (i + 1) / 9 - 1, i};
    }
    RegisterShuffleReply.Builder reply = reply(9, ranges).toBuilder();
    for (int i = 0; i < 9; i++) {
      reply.setServers(
          i,
          ServerId.newBuilder()
              .setName("shuffle-server-" + i + ".rack-1.example.org")
              .setHost("10.1.2.10" + i)
              .setRpcPort(19_998)
              .setNettyPort(19_999)
              .setEpoch(1_700_000_000_000L + i));
    }
    ShuffleAssignment assignment =
        ShuffleAssignment.of(
            SHUFFLE.toBuilder().setApplication("application_1700000000000_0001").build(),
            20_000,
            reply.build());
    assertThat(assignment.toBytes().length).isEqualTo(688);

    ShuffleAssignment replaced =
        assignment.replaceFailed(reply.getServers(0).getName(), reply.getServers(1));
    assertThat(replaced.toBytes().length).isLessThanOrEqualTo(assignment.toBytes().length + 4);

    // A hundred skewed partitions with an additional server.
    int[] full = new Random(3).ints(0, 20_000).distinct().limit(100).toArray();
    ServerId tenth = server("shuffle-server-9.rack-1.example.org");
    ShuffleAssignment moved = replaced;
    for (ServerId server : replaced.servers()) {
      if (!replaced.hasReplaced(server.getName())) {
        moved = moved.replaceFull(server.getName(), full, tenth);
      }
    }
    assertThat(moved.rangeCount()).isBetween(150, 250);
    assertThat(moved.toBytes().length).isLessThanOrEqualTo(1_300);
  }

  private static ServerId server(String name) {
    return ServerId.newBuilder().setName(name).setHost(name).setRpcPort(1).build();
  }

  @Test
  void putsAReplacementServerBehindTheOneThatFailed() throws Exception {
    ShuffleAssignment assignment =
        ShuffleAssignment.of(SHUFFLE, 10, reply(2, new int[] {0, 4, 0}, new int[] {5, 9, 1}));

    ShuffleAssignment next = assignment.replaceFailed("s0", server("s2"));

    assertThat(next.generation()).isEqualTo(1);
    assertThat(next.chainLength(0, 0)).isEqualTo(2);
    assertThat(next.chainServer(0, 0, 0)).isEqualTo(0);
    assertThat(next.serverIndex(0, 0)).isEqualTo(2);
    assertThat(next.chainLength(1, 0)).isEqualTo(1);
    assertThat(next.hasReplaced("s0")).isTrue();
    assertThat(next.hasReplaced("s1")).isFalse();
    assertThat(next.replacementOf("s0")).contains(server("s2"));
    assertThat(next.replacementOf("s1")).isEmpty();
    assertThat(next.replaceFailed("s0", server("s3"))).isSameAs(next);

    ShuffleAssignment last = next.replaceFailed("s2", next.servers().get(1));
    assertThat(last.replacementOf("s0")).contains(last.servers().get(1));
    assertThat(last.serverIndex(0, 0)).isEqualTo(1);
    assertThat(assignment.generation()).isZero();
    assertThat(assignment.chainLength(0, 0)).isEqualTo(1);
  }

  @Test
  void movesOnlyFullPartitionsAndMergesEqualRanges() throws Exception {
    ShuffleAssignment assignment =
        ShuffleAssignment.of(SHUFFLE, 10, reply(2, new int[] {0, 4, 0}, new int[] {5, 9, 1}));

    ShuffleAssignment next = assignment.replaceFull("s0", new int[] {3, 2, 2, 7}, server("s2"));

    assertThat(next.rangeCount()).isEqualTo(4);
    assertThat(next.pushedTo("s2", List.of(7, 4, 3, 2))).containsExactly(2, 3);
    assertThat(next.pushedTo("s0", List.of(0, 2, 4))).containsExactly(0, 4);
    assertThat(next.hasReplaced("s0")).isFalse();
    assertThat(next.chainLength(next.rangeOf(7), 0)).isEqualTo(1);
    assertThat(next.replaceFull("s0", new int[] {2, 3}, server("s3"))).isSameAs(next);
  }

  @Test
  void rejectsAnInvalidReplacement() throws Exception {
    ShuffleAssignment assignment =
        ShuffleAssignment.of(SHUFFLE, 10, reply(2, new int[] {0, 4, 0}, new int[] {5, 9, 1}))
            .replaceFailed("s0", server("s1"));

    assertThatThrownBy(() -> assignment.replaceFailed("s1", server("s0")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("server s1 cannot be replaced by s0");
    assertThatThrownBy(() -> assignment.replaceFailed("s1", server("s1")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> assignment.replaceFull("s1", new int[] {1}, server("s0")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> assignment.replaceFailed("s9", server("s2")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("server s9 is not in assignment");
  }

  /**
   * Random changes, compared with a model: a list of server names per partition and replica, and
   * the replacement of every failed server.
   */
  @Test
  void agreesWithAModelAfterRandomChanges() throws Exception {
    for (int seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      int servers = 2 + random.nextInt(5);
      int replicas = 1 + random.nextInt(Math.min(3, servers));
      int partitions = 1 + random.nextInt(60);
      int ranges = 1 + random.nextInt(Math.min(partitions, 6));
      ShuffleAssignment assignment;
      try (FakeCluster cluster = FakeCluster.inline(servers, new Faults() {})) {
        assignment = cluster.assign(partitions, ranges, replicas);
      }
      Chains model = new Chains(assignment);
      for (int step = 0; step < 25; step++) {
        int generation = assignment.generation();
        List<ServerId> known = assignment.servers();
        String from = known.get(random.nextInt(known.size())).getName();
        ServerId by =
            random.nextInt(3) == 0
                ? server("further-" + random.nextInt(20))
                : known.get(random.nextInt(known.size()));
        int[] moving = random.ints(random.nextInt(6), 0, partitions).toArray();
        boolean failed = random.nextInt(3) == 0;
        if (model.failed.containsKey(by.getName()) || by.getName().equals(from)) {
          continue;
        }
        ShuffleAssignment next =
            failed ? assignment.replaceFailed(from, by) : assignment.replaceFull(from, moving, by);
        boolean changes =
            failed ? model.fail(from, by.getName()) : model.full(from, moving, by.getName());
        assertThat(next.generation()).isEqualTo(generation + (changes ? 1 : 0));
        assignment = random.nextBoolean() ? next : ShuffleAssignment.fromBytes(next.toBytes());
        assertThat(assignment).isEqualTo(next).hasSameHashCodeAs(next);
        model.check(assignment, "seed " + seed + " step " + step);
      }
    }
  }

  private static final class Chains {
    private final List<List<List<String>>> ofPartition = new ArrayList<>();
    private final Map<String, String> failed = new HashMap<>();

    Chains(ShuffleAssignment start) {
      for (int partition = 0; partition < start.partitionCount(); partition++) {
        List<List<String>> chains = new ArrayList<>();
        for (ServerId server : start.serversOf(partition)) {
          chains.add(new ArrayList<>(List.of(server.getName())));
        }
        ofPartition.add(chains);
      }
    }

    boolean fail(String server, String by) {
      if (failed.putIfAbsent(server, by) != null) {
        return false;
      }
      for (List<List<String>> chains : ofPartition) {
        for (List<String> chain : chains) {
          if (chain.contains(server) && chain.indexOf(by) < chain.indexOf(server)) {
            chain.remove(by);
            chain.add(chain.indexOf(server) + 1, by);
          }
        }
      }
      return true;
    }

    boolean full(String server, int[] partitions, String by) {
      boolean any = false;
      for (int partition : partitions) {
        for (List<String> chain : ofPartition.get(partition)) {
          if (chain.get(chain.size() - 1).equals(server) && !chain.contains(by)) {
            chain.add(by);
            any = true;
          }
        }
      }
      return any;
    }

    void check(ShuffleAssignment assignment, String when) {
      for (int partition = 0; partition < ofPartition.size(); partition++) {
        int range = assignment.rangeOf(partition);
        List<List<String>> chains = new ArrayList<>();
        for (int replica = 0; replica < assignment.replicaCount(range); replica++) {
          List<String> chain = new ArrayList<>();
          for (int position = 0; position < assignment.chainLength(range, replica); position++) {
            chain.add(
                assignment
                    .servers()
                    .get(assignment.chainServer(range, replica, position))
                    .getName());
          }
          assertThat(assignment.servers().get(assignment.serverIndex(range, replica)).getName())
              .as(when)
              .isEqualTo(chain.get(chain.size() - 1))
              .isNotIn(failed.keySet());
          assertThat(chain).as(when).doesNotHaveDuplicates();
          chains.add(chain);
          for (String name : chain) {
            if (failed.containsKey(name)) {
              // Frames for the failed server can go to its replacement.
              assertThat(chain)
                  .as(when)
                  .contains(assignment.replacementOf(name).orElseThrow().getName());
            }
          }
        }
        assertThat(chains).as(when).isEqualTo(ofPartition.get(partition));
      }
      for (ServerId server : assignment.servers()) {
        assertThat(assignment.hasReplaced(server.getName()))
            .isEqualTo(failed.containsKey(server.getName()));
      }
    }
  }
}
