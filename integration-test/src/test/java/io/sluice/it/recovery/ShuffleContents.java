package io.sluice.it.recovery;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockHeader;
import io.sluice.proto.Fetch;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.PartitionState;
import io.sluice.proto.Presence;
import io.sluice.proto.Range;
import io.sluice.proto.ShuffleId;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.FetchedBody;
import io.sluice.transport.protocol.AttemptSets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Blocks of a shuffle on a server, requested with the real protocol.
 *
 * <p>FETCH_REPLY contains the number of its bytes that came from memory; the others came from
 * registered run files. So a range without bytes from memory is on disk and survives the process.
 *
 * @param presence by partition
 * @param last highest sequence of blocks flagged LAST, by attempt and partition
 * @param complete attempts that the server reports as complete, by partition
 */
record ShuffleContents(
    List<Presence> presence,
    Set<TestBlocks.Id> blocks,
    Set<TestBlocks.Id> onDisk,
    Map<TestBlocks.Id, Integer> last,
    List<Set<Long>> complete) {
  private static final long LIMIT_SECONDS = 30;
  private static final int SLICE = 256 << 10;

  static ShuffleContents read(
      DataConnection connection, ShuffleId shuffle, int partitions, long assignedEpoch)
      throws Exception {
    OpenReply opened =
        get(
            connection.open(
                Open.newBuilder()
                    .setShuffle(shuffle)
                    .setAssignedEpoch(assignedEpoch)
                    .addAllPartitions(IntStream.range(0, partitions).boxed().toList())
                    .build()));
    List<Presence> presence = new ArrayList<>();
    List<Set<Long>> complete = new ArrayList<>();
    Set<TestBlocks.Id> blocks = new HashSet<>();
    Set<TestBlocks.Id> onDisk = new HashSet<>();
    Map<TestBlocks.Id, Integer> last = new HashMap<>();
    for (PartitionState state : opened.getPartitionsList()) {
      presence.add(state.getPresence());
      if (state.getPresence() != Presence.PRESENT) {
        complete.add(Set.of());
        continue;
      }
      complete.add(attempts(opened.getAttemptSets(state.getCompleteAttempts())));
      readPartition(connection, shuffle, opened.getEpoch(), state, blocks, onDisk, last);
    }
    return new ShuffleContents(presence, blocks, onDisk, last, complete);
  }

  private static void readPartition(
      DataConnection connection,
      ShuffleId shuffle,
      long epoch,
      PartitionState state,
      Set<TestBlocks.Id> blocks,
      Set<TestBlocks.Id> onDisk,
      Map<TestBlocks.Id, Integer> last)
      throws Exception {
    ByteBuf log = TestBlocks.newBody();
    try {
      // Ranges of the bytes that came from memory, with the granularity of a slice.
      List<long[]> memory = new ArrayList<>();
      while (log.readableBytes() < state.getLength()) {
        long offset = log.readableBytes();
        long length = Math.min(SLICE, state.getLength() - offset);
        try (FetchedBody slice =
            get(
                connection.fetch(
                    Fetch.newBuilder()
                        .setShuffle(shuffle)
                        .setEpoch(epoch)
                        .addRanges(
                            Range.newBuilder()
                                .setPartition(state.getPartition())
                                .setOffset(offset)
                                .setLength(length))
                        .build()))) {
          if (slice.head().getFromMemory() > 0) {
            memory.add(new long[] {offset, offset + length});
          }
          log.writeBytes(slice.bytes());
        }
      }
      for (int at = 0; at < log.writerIndex(); ) {
        BlockHeader header = BlockFormat.readVerified(log, at, log.writerIndex());
        int start = at;
        int end = at + header.blockLength();
        if (header.partition() != state.getPartition() || !TestBlocks.isRight(log, at, header)) {
          throw new AssertionError("wrong block " + header + " in " + state.getPartition());
        }
        TestBlocks.Id id = TestBlocks.id(header);
        blocks.add(id);
        if (header.isLast()) {
          last.put(new TestBlocks.Id(id.attempt(), id.partition(), 0), id.sequence());
        }
        if (memory.stream().noneMatch(range -> start < range[1] && end > range[0])) {
          onDisk.add(id);
        }
        at = end;
      }
    } finally {
      log.release();
    }
  }

  /** Whether every block of the attempt in the partition exists. */
  boolean isWhole(long attempt, int partition) {
    Integer lastSequence = last.get(new TestBlocks.Id(attempt, partition, 0));
    return lastSequence != null
        && IntStream.rangeClosed(0, lastSequence)
            .allMatch(sequence -> blocks.contains(new TestBlocks.Id(attempt, partition, sequence)));
  }

  private static Set<Long> attempts(ByteString bytes) throws Exception {
    Set<Long> attempts = new HashSet<>();
    AttemptSets.decode(bytes).forEach(attempts::add);
    return attempts;
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(LIMIT_SECONDS, TimeUnit.SECONDS);
  }
}
