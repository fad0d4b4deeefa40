package io.sluice.cli.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockHeader;
import io.sluice.proto.Push;
import io.sluice.proto.ShuffleId;
import io.sluice.transport.client.DataConnection;
import java.util.concurrent.CompletableFuture;

/**
 * One map attempt that pushes blocks to the partitions of one server, round-robin. Block {@code n}
 * of the worker goes to partition {@code n mod P} with sequence number {@code n / P}: a frame is
 * determined by its first block number, so a refused frame is built again for a retry.
 */
final class PushWorker implements BenchWorker {
  private final DataConnection connection;
  private final Push head;
  private final int attempt;
  private final int[] partitions;
  private final long blocks;
  private final PushBenchPlan plan;
  private final byte[] payload;
  private long nextBlock;

  /**
   * Sends no requests yet.
   *
   * @param connection borrowed
   * @param attempt number of this worker; also its map index
   * @param partitions partitions on the connection's server
   * @param blocks number of blocks that this worker sends
   * @param payload borrowed, shared by all workers: the payload of each block
   */
  PushWorker(
      DataConnection connection,
      ShuffleId shuffle,
      int attempt,
      int[] partitions,
      long blocks,
      PushBenchPlan plan,
      byte[] payload) {
    this.connection = connection;
    this.head = Push.newBuilder().setShuffle(shuffle).setEpoch(connection.epoch()).build();
    this.attempt = attempt;
    this.partitions = partitions;
    this.blocks = blocks;
    this.plan = plan;
    this.payload = payload;
  }

  @Override
  public Request next() {
    if (nextBlock >= blocks) {
      return null;
    }
    long first = nextBlock;
    int count = (int) Math.min(plan.blocksPerFrame(), blocks - first);
    nextBlock += count;
    return () -> send(first, count);
  }

  private CompletableFuture<Long> send(long first, int count) {
    ByteBuf frame = frame(first, count);
    return connection.push(head, frame).thenApply(ack -> (long) count * plan.payloadLength());
  }

  /**
   * Returns owned a frame with the blocks {@code first .. first + count - 1}; blocks of a partition
   * are adjacent.
   */
  ByteBuf frame(long first, int count) {
    ByteBuf frame = PooledByteBufAllocator.DEFAULT.directBuffer(count * plan.blockLength());
    int stride = partitions.length;
    for (int start = 0; start < Math.min(count, stride); start++) {
      for (int i = start; i < count; i += stride) {
        append(frame, first + i);
      }
    }
    return frame;
  }

  private void append(ByteBuf frame, long block) {
    int at = frame.writerIndex();
    boolean last = block + partitions.length >= blocks;
    BlockHeader header =
        new BlockHeader(
            attempt,
            attempt,
            partitions[(int) (block % partitions.length)],
            Math.toIntExact(block / partitions.length),
            1,
            plan.payloadLength(),
            plan.payloadLength(),
            BlockCodec.NONE,
            last ? BlockHeader.FLAG_LAST : 0);
    frame.writerIndex(at + BlockHeader.LENGTH);
    frame.writeBytes(payload);
    BlockFormat.seal(frame, at, header);
  }
}
