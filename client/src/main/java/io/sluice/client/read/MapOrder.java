package io.sluice.client.read;

import io.netty.buffer.ByteBuf;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Receipt;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Order of the blocks of a read by partition, map index and block number. Blocks that arrive before
 * their turn are held, compressed, up to a limit. Above the limit, or if the process has no memory
 * for a block, the read gives up the order: held blocks and all others are then delivered without
 * waiting.
 *
 * <p>Blocks of other attempts and duplicates are never held. So a read whose expected blocks are
 * together within the limit and the memory is always in order, whatever the order of arrival. Owned
 * by the task thread.
 */
final class MapOrder {
  /** Heap of a held block, which counts against the limit beside its bytes. */
  static final int BLOCK_HEAP_BYTES = 168;

  private final List<ExpectedAttempts> expected;
  private final long maxHeldBytes;
  private final HeldBytes memory;
  private final PriorityQueue<HeldBlock> held = new PriorityQueue<>();
  private long heldBytes;
  private boolean givenUp;
  private boolean freed;
  // The block whose turn it is; position is an index into expected.
  private int position;
  private int rank;
  private int sequence;

  /** A block that waits for its turn. */
  static final class HeldBlock implements Comparable<HeldBlock> {
    private final PartitionProgress progress;
    private final int attemptIndex;
    private final int rank;
    private final BlockHeader header;
    private final Receipt receipt;
    private final HeldBytes.Chunk chunk;
    private final int payloadAt;

    private HeldBlock(
        PartitionProgress progress,
        int attemptIndex,
        BlockHeader header,
        Receipt receipt,
        HeldBytes.Chunk chunk,
        int payloadAt) {
      this.progress = progress;
      this.attemptIndex = attemptIndex;
      this.rank = progress.expected().rank(attemptIndex);
      this.header = header;
      this.receipt = receipt;
      this.chunk = chunk;
      this.payloadAt = payloadAt;
    }

    /** The order in which blocks have their turn. */
    @Override
    public int compareTo(HeldBlock other) {
      int compared = Integer.compare(progress.partition(), other.progress.partition());
      if (compared == 0) {
        compared = Integer.compare(rank, other.rank);
      }
      return compared == 0 ? Integer.compare(header.sequence(), other.header.sequence()) : compared;
    }

    PartitionProgress progress() {
      return progress;
    }

    int attemptIndex() {
      return attemptIndex;
    }

    BlockHeader header() {
      return header;
    }

    /** Null unless the block is the last of its attempt. */
    Receipt receipt() {
      return receipt;
    }

    /** Contains the payload; borrowed until the block is released. */
    ByteBuf buffer() {
      return chunk.bytes();
    }

    int payloadAt() {
      return payloadAt;
    }
  }

  /**
   * @param expected partitions of the read, ascending
   * @param maxHeldBytes maximum bytes of held blocks with their headers and heap
   * @param memory takes
   */
  MapOrder(List<ExpectedAttempts> expected, long maxHeldBytes, HeldBytes memory) {
    this.expected = expected;
    this.maxHeldBytes = maxHeldBytes;
    this.memory = memory;
  }

  private boolean mustWait(PartitionProgress progress, int attemptIndex, int blockSequence) {
    return !givenUp && !isTurnOf(progress, attemptIndex, blockSequence);
  }

  private boolean isTurnOf(PartitionProgress progress, int attemptIndex, int blockSequence) {
    return blockSequence == sequence
        && position < expected.size()
        && progress.expected() == expected.get(position)
        && progress.expected().rank(attemptIndex) == rank;
  }

  /**
   * Holds a block if it must wait for others.
   *
   * @param receipt null unless the block is the last of its attempt
   * @param buffer borrows: contains the payload at {@code payloadAt}
   * @return false if the block is to be delivered now
   */
  boolean hold(
      PartitionProgress progress,
      int attemptIndex,
      BlockHeader header,
      Receipt receipt,
      ByteBuf buffer,
      int payloadAt) {
    if (!mustWait(progress, attemptIndex, header.sequence())) {
      return false;
    }
    HeldBytes.Chunk chunk = memory.reserve(header.payloadLength());
    if (chunk == null) {
      giveUp();
      return false;
    }
    int at = chunk.bytes().writerIndex();
    chunk.bytes().writeBytes(buffer, payloadAt, header.payloadLength());
    held.add(new HeldBlock(progress, attemptIndex, header, receipt, chunk, at));
    heldBytes += header.blockLength() + BLOCK_HEAP_BYTES;
    if (heldBytes > maxHeldBytes) {
      giveUp();
    }
    return true;
  }

  private void giveUp() {
    givenUp = true;
    memory.end();
  }

  /** Records that a block is delivered. */
  void delivered(boolean isLast) {
    if (givenUp) {
      return;
    }
    sequence++;
    if (isLast) {
      sequence = 0;
      rank++;
      if (rank == expected.get(position).count()) {
        rank = 0;
        position++;
      }
    }
  }

  /** Removes and returns the held block whose turn it is, or null. The caller releases it. */
  HeldBlock next() {
    HeldBlock first = held.peek();
    if (first == null || mustWait(first.progress, first.attemptIndex, first.header.sequence())) {
      return null;
    }
    return held.remove();
  }

  /** Releases a block that {@link #next} returned. */
  void release(HeldBlock block) {
    heldBytes -= block.header.blockLength() + BLOCK_HEAP_BYTES;
    freed |= memory.release(block.chunk);
  }

  /** Whether memory was released since the last call. */
  boolean takeFreed() {
    boolean any = freed;
    freed = false;
    return any;
  }

  /** Releases all blocks. Idempotent. */
  void clear() {
    held.clear();
    memory.clear();
  }
}
