package io.sluice.client.read;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.push.FramedPushSession;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushConfig;
import io.sluice.client.push.PushOptions;
import io.sluice.client.server.DirectMemory;
import io.sluice.client.server.RetryPolicy;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockFormatException;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Receipt;
import io.sluice.proto.Push;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Blocks of one attempt in partition 0, as a push session wrote them. A test can change them as a
 * fault of any later stage would that also wrote valid headers and checksums.
 */
final class WrittenBlocks {
  private static final int FRAME_BYTES = 4096;

  private final long attempt;
  private final List<byte[]> payloads = new ArrayList<>();
  private final List<BlockHeader> headers = new ArrayList<>();
  private Receipt receipt;

  private WrittenBlocks(long attempt) {
    this.attempt = attempt;
  }

  /** Writes each batch; its first byte is its number of records. */
  static WrittenBlocks of(long attempt, boolean finalPass, byte[]... batches) throws IOException {
    WrittenBlocks written = new WrittenBlocks(attempt);
    RetryPolicy retry = new RetryPolicy(1, 1, 1, 1);
    try (FramedPushSession session =
        FramedPushSession.toLocalOutput(
            1,
            new MapAttempt(attempt, (int) attempt),
            new PushOptions(null, null, written::take),
            new PushConfig(FRAME_BYTES, FRAME_BYTES, 1, BlockCodec.NONE, 1, retry, retry),
            UnpooledByteBufAllocator.DEFAULT,
            new DirectMemory(Long.MAX_VALUE))) {
      if (finalPass) {
        session.beginFinalPass();
      }
      for (byte[] batch : batches) {
        session.add(0, batch, 0, batch.length, batch[0]);
      }
      session.finish();
    }
    return written;
  }

  private void take(ByteBuf body) throws BlockFormatException {
    int at = 0;
    while (at < body.writerIndex()) {
      BlockHeader header = BlockFormat.readVerified(body, at, body.writerIndex());
      headers.add(header);
      payloads.add(ByteBufUtil.getBytes(body, at + BlockHeader.LENGTH, header.payloadLength()));
      if (header.isLast()) {
        receipt = Receipt.read(body, at);
      }
      at += header.blockLength();
    }
  }

  int count() {
    return headers.size();
  }

  long attempt() {
    return attempt;
  }

  Receipt receipt() {
    return receipt;
  }

  void receipt(Receipt other) {
    receipt = other;
  }

  void drop(int index) {
    headers.remove(index);
    payloads.remove(index);
  }

  void repeat(int index) {
    headers.add(index, headers.get(index));
    payloads.add(index, payloads.get(index));
  }

  /** Lends the payload of a block. */
  byte[] payload(int index) {
    return payloads.get(index);
  }

  void payload(int index, byte[] payload) {
    payloads.set(index, payload);
  }

  void records(int index, int count) {
    headers.set(index, header(index, count));
  }

  private BlockHeader header(int index, int records) {
    BlockHeader old = headers.get(index);
    int length = payloads.get(index).length;
    return new BlockHeader(
        attempt, old.mapIndex(), 0, index, records, length, length, old.codec(), old.flags());
  }

  /** The blocks, numbered again. */
  List<byte[]> sealed() {
    List<byte[]> blocks = new ArrayList<>();
    for (int i = 0; i < headers.size(); i++) {
      BlockHeader header = header(i, headers.get(i).recordCount());
      ByteBuf block = Unpooled.buffer(header.blockLength());
      block.writeZero(BlockHeader.LENGTH).writeBytes(payloads.get(i));
      BlockFormat.seal(block, 0, header, header.isLast() ? receipt : Receipt.NONE);
      blocks.add(ByteBufUtil.getBytes(block));
    }
    return blocks;
  }

  /** Pushes the blocks to the first server of a cluster, in an order of block numbers. */
  void push(FakeCluster cluster, ShuffleAssignment assignment, List<Integer> order) {
    List<byte[]> blocks = sealed();
    for (int sequence : order) {
      cluster
          .pool()
          .connection(cluster.server(0).id(), 0)
          .join()
          .push(
              Push.newBuilder()
                  .setShuffle(assignment.shuffle())
                  .setEpoch(cluster.server(0).epoch())
                  .build(),
              Unpooled.directBuffer().writeBytes(blocks.get(sequence)))
          .join();
    }
  }
}
