package io.sluice.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.sluice.cli.bench.BenchCluster.Share;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockHeader;
import io.sluice.proto.Fetch;
import io.sluice.proto.OpenReply;
import io.sluice.proto.PartitionState;
import io.sluice.proto.Presence;
import io.sluice.proto.Range;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.SliceMark;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BenchWorkersTest {
  private static final ShuffleId SHUFFLE =
      ShuffleId.newBuilder().setApplication("bench").setShuffle(0).build();

  @Test
  void pushedAttemptIsCompleteInEveryPartitionForAllSizes() throws Exception {
    Random random = new Random(42);
    for (int round = 0; round < 300; round++) {
      int partitionCount = 1 + random.nextInt(12);
      int[] partitions = IntStream.range(0, partitionCount).map(i -> 5 + 2 * i).toArray();
      int blocks = random.nextInt(60);
      PushBenchPlan plan =
          new PushBenchPlan(blocks, 1 + random.nextInt(50), 1 + random.nextInt(20));
      byte[] payload = new byte[plan.payloadLength()];
      random.nextBytes(payload);
      try (FakeConnection connection = new FakeConnection()) {
        PushWorker worker =
            new PushWorker(connection, SHUFFLE, 3, partitions, blocks, plan, payload);
        long bytes = 0;
        for (BenchWorker.Request request = worker.next();
            request != null;
            request = worker.next()) {
          bytes += request.send().get();
        }

        assertThat(bytes).isEqualTo((long) blocks * plan.payloadLength());
        requireComplete(connection.pushed, plan, partitions, blocks);
      }
    }
  }

  private static void requireComplete(
      List<ByteBuf> frames, PushBenchPlan plan, int[] partitions, int blocks) throws Exception {
    Map<Integer, Integer> nextSequence = new HashMap<>();
    Set<Integer> ended = new HashSet<>();
    int seen = 0;
    for (ByteBuf frame : frames) {
      Set<Integer> left = new HashSet<>();
      int current = -1;
      for (int at = frame.readerIndex(); at < frame.writerIndex(); seen++) {
        BlockHeader header = BlockFormat.readVerified(frame, at, frame.writerIndex());
        at += header.blockLength();
        if (header.partition() != current) {
          assertThat(left.add(header.partition())).as("blocks of a partition adjacent").isTrue();
          current = header.partition();
        }
        assertThat(partitions).contains(header.partition());
        assertThat(header.sequence()).isEqualTo(nextSequence.getOrDefault(current, 0));
        nextSequence.put(current, header.sequence() + 1);
        assertThat(ended).doesNotContain(current);
        if (header.isLast()) {
          ended.add(current);
        }
      }
      assertThat(left).isNotEmpty();
      assertThat(frame.readableBytes())
          .isLessThanOrEqualTo(plan.blocksPerFrame() * plan.blockLength());
    }
    assertThat(seen).isEqualTo(blocks);
    assertThat(ended).isEqualTo(nextSequence.keySet());
  }

  @Test
  void workersSendAllBlocksTogether() {
    for (int workers = 1; workers < 20; workers++) {
      PushBenchPlan plan = new PushBenchPlan(101, 1, 1);
      int count = workers;
      assertThat(
              IntStream.range(0, workers).mapToLong(worker -> plan.blocksOf(worker, count)).sum())
          .isEqualTo(101);
    }
  }

  @Test
  void fetchesCoverEveryPartitionOnceAndCutAtMarks() throws Exception {
    Share share = new Share(ServerId.newBuilder().setName("s").build(), new int[] {0, 1, 2});
    try (FakeConnection connection = new FakeConnection()) {
      connection.openReplies.add(
          OpenReply.newBuilder()
              .setEpoch(9)
              .addPartitions(present(0, 100, 30, 30, 30, 10))
              .addPartitions(
                  PartitionState.newBuilder().setPartition(1).setPresence(Presence.PARTITION_EMPTY))
              .addPartitions(present(2, 20, 20))
              .build());

      FetchPlan plan = FetchPlan.of(connection, share, SHUFFLE, 50, 1000);

      assertThat(plan.bytes()).isEqualTo(120);
      assertThat(plan.partitions()).isEqualTo(2);
      assertThat(plan.work())
          .containsExactly(fetch(range(0, 0, 60)), fetch(range(0, 60, 40), range(2, 0, 20)));
    }
  }

  private static PartitionState present(int partition, long length, long... marks) {
    PartitionState.Builder state =
        PartitionState.newBuilder()
            .setPartition(partition)
            .setPresence(Presence.PRESENT)
            .setLength(length);
    long at = 0;
    for (long mark : marks) {
      state.addSliceMarks(SliceMark.newBuilder().setOffset(at).setLength(mark));
      at += mark;
    }
    return state.build();
  }

  private static Fetch fetch(Range... ranges) {
    return Fetch.newBuilder().setShuffle(SHUFFLE).setEpoch(9).addAllRanges(List.of(ranges)).build();
  }

  private static Range range(int partition, long offset, long length) {
    return Range.newBuilder().setPartition(partition).setOffset(offset).setLength(length).build();
  }

  @Test
  void opensPartitionsInRequestsWithinTheProtocolLimit() throws Exception {
    int[] partitions = IntStream.range(0, 5000).toArray();
    Share share = new Share(ServerId.newBuilder().setName("s").build(), partitions);
    try (FakeConnection connection = new FakeConnection()) {
      connection.openReplies.add(OpenReply.getDefaultInstance());
      connection.openReplies.add(OpenReply.getDefaultInstance());

      FetchPlan.of(connection, share, SHUFFLE, 50, 1000);

      assertThat(connection.opened)
          .extracting(open -> open.getPartitionsCount())
          .containsExactly(4096, 904);
    }
  }

  @Test
  void failsWithPartitionAndServerIfDataIsLost() {
    Share share = new Share(ServerId.newBuilder().setName("s").build(), new int[] {4});
    try (FakeConnection connection = new FakeConnection()) {
      connection.openReplies.add(
          OpenReply.newBuilder()
              .addPartitions(
                  PartitionState.newBuilder().setPartition(4).setPresence(Presence.DATA_LOST))
              .build());

      assertThatThrownBy(() -> FetchPlan.of(connection, share, SHUFFLE, 50, 1000))
          .isInstanceOf(IOException.class)
          .hasMessage("data is not available: partition=4 server=s presence=DATA_LOST");
    }
  }

  @Test
  void damagedBlockFailsTheFetchAndReleasesItsBuffer() {
    PushBenchPlan plan = new PushBenchPlan(4, 10, 4);
    try (FakeConnection connection = new FakeConnection()) {
      PushWorker pushes =
          new PushWorker(connection, SHUFFLE, 0, new int[] {0}, 4, plan, new byte[10]);
      ByteBuf good = pushes.frame(0, 4);
      ByteBuf bad = good.copy();
      bad.setByte(plan.blockLength() + BlockHeader.LENGTH, 1);
      connection.fetchReplies.add(good);
      connection.fetchReplies.add(bad);
      AtomicLong blocks = new AtomicLong();
      FetchWorker worker =
          new FetchWorker(
              connection,
              "s1",
              new ArrayDeque<>(List.of(fetch(range(0, 0, 1)), fetch(range(0, 1, 1)))),
              blocks);

      assertThat(worker.next().send()).isCompletedWithValue(4L * plan.blockLength());
      assertThat(blocks).hasValue(4);
      assertThatThrownBy(() -> worker.next().send().get())
          .isInstanceOf(ExecutionException.class)
          .hasMessageContaining(
              "server s1 sent a damaged block: block at " + plan.blockLength() + " ");
      assertThat(worker.next()).isNull();
      assertThat(good.refCnt()).isZero();
      assertThat(bad.refCnt()).isZero();
    }
  }
}
