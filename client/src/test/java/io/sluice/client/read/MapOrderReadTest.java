package io.sluice.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.client.server.DirectMemory;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Receipt;
import io.sluice.proto.Push;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Goal: batches arrive in map order within the limit, and held blocks need no more memory. */
class MapOrderReadTest {
  private static final int SLICE_BYTES = 4096;
  private static final int SLICES = 4;
  private static final int MAPS = 12;
  private static final int PARTITIONS = 3;

  /** Blocks of 250 to 500 bytes, pushed in an order of this seed. */
  private static ShuffleAssignment pushed(FakeCluster cluster, long seed, int blocksEach) {
    ShuffleAssignment assignment = cluster.assign(PARTITIONS, 1, 1);
    List<Runnable> pushes = new ArrayList<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      for (int map = 0; map < MAPS; map++) {
        Random content = new Random(partition * 100 + map);
        int[] one = content.ints(blocksEach, 1, 2).toArray();
        TestBlocks blocks = TestBlocks.of(partition, map, content, 186 + 20 * map, one);
        for (int i = 0; i < blocks.count(); i++) {
          int sequence = i;
          pushes.add(() -> blocks.push(cluster.pool(), assignment, cluster.server(0), sequence));
        }
      }
    }
    Collections.shuffle(pushes, new Random(seed));
    pushes.forEach(Runnable::run);
    return assignment;
  }

  private static ShuffleReadRequest.Builder request(ShuffleAssignment assignment) {
    ShuffleReadRequest.Builder request =
        ShuffleReadRequest.builder(assignment).anyOrder().mapOrder();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      for (int map = 0; map < MAPS; map++) {
        // The map indexes descend while the attempts ascend.
        request.expect(partition, map, MAPS - 1 - map);
      }
    }
    return request;
  }

  private static List<String> order(ShuffleRead read) throws Exception {
    List<String> order = new ArrayList<>();
    for (ShuffleBlock block = read.next(); block != null; block = read.next()) {
      order.add(block.partition() + "/" + block.mapIndex() + ": " + block.content().hashCode());
    }
    return order;
  }

  private static ReadConfig config(long orderedBytes) {
    return new ReadConfig(
        SLICE_BYTES, SLICES, 1 << 30, 20_000, orderedBytes, FakeCluster.QUICK, "");
  }

  @Test
  void deliversTheSameBatchesInTheSameOrderWhateverTheOrderOfArrival() throws Exception {
    List<List<String>> orders = new ArrayList<>();
    for (long seed = 0; seed < 20; seed++) {
      try (FakeCluster cluster = FakeCluster.inline(1, new Faults() {})) {
        ShuffleAssignment assignment = pushed(cluster, seed, 3);
        cluster.use(config(1 << 20));
        try (ShuffleRead read = cluster.read(request(assignment).build())) {
          orders.add(order(read));
        }
      }
    }

    assertThat(orders.get(0)).hasSize(PARTITIONS * MAPS * 3);
    assertThat(orders).allMatch(orders.get(0)::equals);
    List<String> positions =
        orders.get(0).stream().map(one -> one.split(":")[0]).distinct().toList();
    assertThat(positions).hasSize(PARTITIONS * MAPS).startsWith("0/0", "0/1", "0/2");
    assertThat(positions).endsWith("2/10", "2/11");
  }

  @Test
  void deliversEveryBatchOnceWhenBlocksExceedTheLimit() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, new Faults() {})) {
      ShuffleAssignment assignment = pushed(cluster, 1, 3);
      List<String> inOrder;
      cluster.use(config(1 << 20));
      try (ShuffleRead read = cluster.read(request(assignment).build())) {
        inOrder = order(read);
      }
      for (long limit : new long[] {0, 1000, 10_000}) {
        cluster.use(config(limit));
        try (ShuffleRead read = cluster.read(request(assignment).build())) {
          List<String> order = order(read);
          assertThat(order).containsExactlyInAnyOrderElementsOf(inOrder);
          assertThat(order).as("limit %s", limit).isNotEqualTo(inOrder);
        }
      }
    }
  }

  @Test
  void keepsTheOrderWhileFewBlocksAreHeldAtATime() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, new Faults() {})) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      ShuffleReadRequest.Builder request =
          ShuffleReadRequest.builder(assignment).anyOrder().mapOrder();
      int maps = 40;
      for (int map = 0; map < maps; map++) {
        // Each odd map task is pushed before the even one below it.
        TestBlocks.of(0, map ^ 1, new Random(map), 300, 1)
            .push(cluster.pool(), assignment, cluster.server(0), 0);
        request.expect(0, map, map);
      }
      long twoBlocks = 2 * (300 + BlockHeader.LENGTH + MapOrder.BLOCK_HEAP_BYTES);
      cluster.use(config(twoBlocks));
      List<Integer> order = new ArrayList<>();
      try (ShuffleRead read = cluster.read(request.build())) {
        for (ShuffleBlock block = read.next(); block != null; block = read.next()) {
          order.add(block.mapIndex());
        }
      }
      assertThat(order).isEqualTo(IntStream.range(0, maps).boxed().toList());
    }
  }

  @Test
  void heldBlocksUseTheMemoryOfTheSlices() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, new Faults() {})) {
      ShuffleAssignment assignment = pushed(cluster, 2, 40);
      cluster.use(new ReadConfig(64 << 10, SLICES, 1 << 30, 20_000, FakeCluster.QUICK));
      AtomicLong peak = new AtomicLong();
      SliceMemory memory =
          used -> {
            peak.accumulateAndGet(used, Math::max);
            return used;
          };
      try (ShuffleRead read = cluster.read(request(assignment).memory(memory).build())) {
        assertThat(order(read)).hasSize(PARTITIONS * MAPS * 40);
      }
      assertThat(cluster.server(0).storedBytes(0)).isGreaterThan(120_000);
      assertThat(peak.get()).isBetween(192L << 10, SLICES * (64L << 10) + (16 << 10));
      assertThat(cluster.memory().usedBytes()).isZero();
    }
  }

  @Test
  void givesUpTheOrderBeforeHeldBlocksExceedTheMemoryOfTheProcess() throws Exception {
    long limit = 40 << 10;
    try (FakeCluster cluster = FakeCluster.inline(1, new Faults() {})) {
      ShuffleAssignment assignment = pushed(cluster, 5, 40);
      cluster.use(config(1 << 20));
      List<String> inOrder;
      try (ShuffleRead read = cluster.read(request(assignment).build())) {
        inOrder = order(read);
      }
      assertThat(cluster.server(0).storedBytes(0)).isGreaterThan(2 * limit);
      cluster.use(new DirectMemory(limit));
      AtomicLong peak = new AtomicLong();
      SliceMemory memory =
          used -> {
            peak.accumulateAndGet(cluster.memory().usedBytes(), Math::max);
            return used;
          };
      try (ShuffleRead read = cluster.read(request(assignment).memory(memory).build())) {
        assertThat(order(read)).containsExactlyInAnyOrderElementsOf(inOrder);
      }
      // A read may exceed the limit by one slice.
      assertThat(peak.get()).isBetween(limit / 2, limit + SLICE_BYTES);
      assertThat(cluster.memory().usedBytes()).isZero();
    }
  }

  @Test
  void finishesWithoutFreeMemory() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, new Faults() {})) {
      ShuffleAssignment assignment = pushed(cluster, 3, 3);
      cluster.use(config(1 << 20));
      List<String> inOrder;
      try (ShuffleRead read = cluster.read(request(assignment).build())) {
        inOrder = order(read);
      }
      try (ShuffleRead read = cluster.read(request(assignment).memory(used -> 0).build())) {
        assertThat(order(read)).isEqualTo(inOrder);
      }
    }
  }

  @Test
  void freesHeldBlocksWhenClosedEarly() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, new Faults() {})) {
      ShuffleAssignment assignment = pushed(cluster, 4, 3);
      cluster.use(config(1 << 20));
      try (ShuffleRead read = cluster.read(request(assignment).build())) {
        assertThat(read.next()).isNotNull();
      }
      assertThat(cluster.memory().usedBytes()).isZero();
    }
  }

  /** The checksum is correct, but the payload is no LZ4 stream. */
  private static void pushUndecodable(FakeCluster cluster, ShuffleAssignment assignment, int map) {
    BlockHeader header =
        new BlockHeader(map, map, 0, 0, 1, 1000, 8, BlockCodec.LZ4, BlockHeader.FLAG_LAST);
    ByteBuf block = Unpooled.directBuffer(header.blockLength());
    block.writeZero(header.blockLength());
    block.setLong(BlockHeader.LENGTH, -1);
    BlockFormat.seal(block, 0, header, new Receipt(1, 1000, 0));
    cluster
        .pool()
        .connection(cluster.server(0).id(), 0)
        .join()
        .push(
            Push.newBuilder()
                .setShuffle(assignment.shuffle())
                .setEpoch(cluster.server(0).epoch())
                .build(),
            block)
        .join();
  }

  @Test
  void namesTheMapTaskOfAHeldBlockThatCannotBeDecompressed() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, new Faults() {})) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      pushUndecodable(cluster, assignment, 1);
      TestBlocks.of(0, 0, new Random(1), 100, 1)
          .push(cluster.pool(), assignment, cluster.server(0), 0);
      cluster.use(config(1 << 20));
      ShuffleReadRequest request =
          ShuffleReadRequest.builder(assignment).mapOrder().expect(0, 0, 0).expect(0, 1, 1).build();
      try (ShuffleRead read = cluster.read(request)) {
        assertThat(read.next().mapAttempt()).isZero();
        BlocksMissingException missing =
            org.junit.jupiter.api.Assertions.assertThrows(BlocksMissingException.class, read::next);
        assertThat(missing.missing().get(0).mapAttempt()).isEqualTo(1);
        assertThat(missing.missing().get(0).reason()).isEqualTo(Reason.CORRUPT);
      }
    }
  }
}
