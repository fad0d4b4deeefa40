package io.sluice.client.read;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeServer;
import io.sluice.client.server.ConnectionPool;
import io.sluice.common.block.BatchChecksum;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockFormatException;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Receipt;
import io.sluice.proto.Push;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Sealed blocks of one attempt in one partition, which a test distributes individually. */
final class TestBlocks {
  private final int partition;
  private final long attempt;
  private final List<byte[]> batches = new ArrayList<>();
  private final List<byte[]> blocks = new ArrayList<>();
  private long writtenRecords;
  private long writtenBytes;
  private long writtenChecksum;

  private TestBlocks(int partition, long attempt) {
    this.partition = partition;
    this.attempt = attempt;
  }

  /**
   * One batch per element, which is its number of blocks; each block has {@code length} random
   * bytes.
   */
  static TestBlocks of(int partition, long attempt, Random random, int length, int... blocksEach) {
    TestBlocks made = new TestBlocks(partition, attempt);
    for (int content = 0; content < blocksEach.length; content++) {
      byte[] bytes = new byte[length * blocksEach[content]];
      random.nextBytes(bytes);
      made.batches.add(bytes);
      made.writtenChecksum += new BatchChecksum().of(bytes, 0, bytes.length, bytes.length);
      for (int part = 0; part < blocksEach[content]; part++) {
        boolean isContinued = part + 1 < blocksEach[content];
        boolean isLast = !isContinued && content + 1 == blocksEach.length;
        made.add(
            bytes,
            part * length,
            length,
            part == 0 ? bytes.length : 0,
            (isContinued ? BlockHeader.FLAG_CONTINUED : 0) | (isLast ? BlockHeader.FLAG_LAST : 0));
      }
    }
    return made;
  }

  private void add(byte[] bytes, int offset, int length, int records, int flags) {
    BlockHeader header =
        new BlockHeader(
            attempt,
            (int) attempt,
            partition,
            blocks.size(),
            records,
            length,
            length,
            BlockCodec.NONE,
            flags);
    byte[] block = new byte[header.blockLength()];
    System.arraycopy(bytes, offset, block, BlockHeader.LENGTH, length);
    writtenRecords += records;
    writtenBytes += length;
    BlockFormat.seal(
        Unpooled.wrappedBuffer(block), 0, header, header.isLast() ? receipt() : Receipt.NONE);
    blocks.add(block);
  }

  /** Receipt of the blocks so far. */
  Receipt receipt() {
    return new Receipt(writtenRecords, writtenBytes, writtenChecksum);
  }

  /** Returns the blocks with another receipt in the last one. */
  TestBlocks withReceipt(Receipt receipt) throws BlockFormatException {
    ByteBuf last = Unpooled.wrappedBuffer(blocks.get(blocks.size() - 1));
    BlockFormat.seal(last, 0, BlockHeader.read(last, 0, last.capacity()), receipt);
    return this;
  }

  int partition() {
    return partition;
  }

  long attempt() {
    return attempt;
  }

  List<byte[]> batches() {
    return batches;
  }

  int count() {
    return blocks.size();
  }

  byte[] block(int sequence) {
    return blocks.get(sequence).clone();
  }

  /** Pushes one block to a server. */
  void push(ConnectionPool pool, ShuffleAssignment assignment, FakeServer server, int sequence) {
    ByteBuf body = Unpooled.directBuffer().writeBytes(blocks.get(sequence));
    pool.connection(server.id(), 0)
        .join()
        .push(
            Push.newBuilder().setShuffle(assignment.shuffle()).setEpoch(server.epoch()).build(),
            body)
        .join();
  }

  /** Pushes the blocks {@code from..end-1} in order. */
  void push(
      ConnectionPool pool, ShuffleAssignment assignment, FakeServer server, int from, int end) {
    for (int sequence = from; sequence < end; sequence++) {
      push(pool, assignment, server, sequence);
    }
  }
}
