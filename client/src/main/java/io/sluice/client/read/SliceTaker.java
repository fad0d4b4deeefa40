package io.sluice.client.read;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockFormatException;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.ShuffleId;
import io.sluice.transport.protocol.FrameLimits;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes slices apart into verified blocks. A block may begin in one slice and end in the next of
 * the same server. Owned by the task thread.
 */
final class SliceTaker {
  private static final Logger LOG = LoggerFactory.getLogger(SliceTaker.class);

  private static final int MAX_BLOCK_BYTES = FrameLimits.DEFAULT.maxBodyLength();

  private final ShuffleId shuffle;
  private final int maxAttempts;
  private final ReadServers servers;
  private final ReadProgress progress;
  private final SliceBudget budget;
  private final ReadTally tally;
  private final BlockAssembler assembler;
  private final ByteBufAllocator allocator;
  private Slice current;

  /**
   * @param maxAttempts how often a damaged block is fetched
   */
  SliceTaker(
      ShuffleId shuffle,
      int maxAttempts,
      SliceFetcher.Parts parts,
      BlockAssembler assembler,
      ByteBufAllocator allocator) {
    this.shuffle = shuffle;
    this.maxAttempts = maxAttempts;
    this.servers = parts.servers();
    this.progress = parts.progress();
    this.budget = parts.budget();
    this.tally = parts.tally();
    this.assembler = assembler;
    this.allocator = allocator;
  }

  /** Whether a slice has not been taken apart to its end. */
  boolean isBusy() {
    return current != null;
  }

  /** Takes the next slice that is here, of any server; false if there is none. */
  boolean begin() {
    for (int i = 0; i < servers.count(); i++) {
      ReadServer server = servers.inTurn(i);
      Slice slice = server.slices().peekFirst();
      if (slice != null && slice.state() == Slice.State.HERE) {
        server.slices().removeFirst();
        current = slice;
        servers.endTurn(i);
        return true;
      }
    }
    return false;
  }

  /** Goes on in the current slice up to the next content; null and no slice at its end. */
  ShuffleBlock next() throws IOException {
    ByteBuf body = current.body().bytes();
    while (true) {
      Slice.Part part = current.part();
      if (part == null) {
        budget.drop(current);
        current = null;
        return null;
      }
      PartitionVisit visit = part.visit();
      if (!part.isWanted()) {
        current.nextPart();
        continue;
      }
      if (current.available() == 0) {
        current.nextPart();
        continue;
      }
      ShuffleBlock block =
          visit.carry() == null ? blockInPlace(body, visit) : blockOfCarry(body, visit);
      if (part.isWanted()) {
        if (visit.progress().isWhole()) {
          progress.endVisit(visit);
        } else if (visit.isRead()) {
          endOfStretches(visit);
        }
      }
      progress.throwIfMissing();
      if (block != null) {
        return block;
      }
    }
  }

  private ShuffleBlock blockInPlace(ByteBuf body, PartitionVisit visit) throws IOException {
    int index = current.index();
    int available = current.available();
    long offset = current.offset();
    if (available >= BlockHeader.LENGTH) {
      long length = BlockHeader.claimedLength(body, index);
      if (!isPlausible(visit, offset, length)) {
        return damaged(visit, offset, -1, "block length " + length + " cannot be");
      }
      if (length <= available) {
        consume(visit, (int) length);
        return block(body, index, (int) length, visit, offset);
      }
    }
    ByteBuf carry = allocator.directBuffer(BlockHeader.LENGTH);
    visit.startCarry(carry, offset);
    return blockOfCarry(body, visit);
  }

  /** Adds to a carried block; it may become whole. */
  private ShuffleBlock blockOfCarry(ByteBuf body, PartitionVisit visit) throws IOException {
    ByteBuf carry = visit.carry();
    long offset = visit.carryOffset();
    if (current.offset() != offset + carry.readableBytes()) {
      return damaged(visit, offset, -1, "block ends before its length");
    }
    if (carry.readableBytes() < BlockHeader.LENGTH) {
      fill(body, visit, carry, BlockHeader.LENGTH);
      if (carry.readableBytes() < BlockHeader.LENGTH) {
        return null;
      }
      long length = BlockHeader.claimedLength(carry, 0);
      if (!isPlausible(visit, offset, length)) {
        return damaged(visit, offset, -1, "block length " + length + " cannot be");
      }
      carry.ensureWritable((int) length - BlockHeader.LENGTH);
    }
    int length = (int) BlockHeader.claimedLength(carry, 0);
    fill(body, visit, carry, length);
    if (carry.readableBytes() < length) {
      return null;
    }
    carry.retain();
    visit.releaseCarry();
    try {
      return block(carry, 0, length, visit, offset);
    } finally {
      carry.release();
    }
  }

  private void fill(ByteBuf body, PartitionVisit visit, ByteBuf carry, int upTo) {
    int count = Math.min(upTo - carry.readableBytes(), current.available());
    carry.writeBytes(body, current.index(), count);
    consume(visit, count);
  }

  private void consume(PartitionVisit visit, int count) {
    current.consume(count);
    visit.taken(count);
  }

  private static boolean isPlausible(PartitionVisit visit, long offset, long length) {
    return length >= BlockHeader.LENGTH
        && length <= MAX_BLOCK_BYTES + (long) BlockHeader.LENGTH
        && length <= visit.length() - offset;
  }

  private ShuffleBlock block(
      ByteBuf buffer, int index, int length, PartitionVisit visit, long offset) throws IOException {
    try {
      BlockHeader header = BlockFormat.readVerified(buffer, index, index + length);
      if (header.partition() != visit.partition()) {
        return damaged(visit, offset, length, "block is of partition " + header.partition());
      }
      return assembler.accept(visit.progress(), buffer, index, header);
    } catch (BlockFormatException e) {
      return damaged(visit, offset, length, e.getMessage());
    } catch (SluiceException e) {
      if (e.code() != StatusCode.BLOCK_CORRUPT) {
        throw e;
      }
      return damaged(visit, offset, length, e.getMessage());
    }
  }

  /**
   * Asks again from there, a few times; then passes the block over if its length can be believed,
   * else ends the visit.
   *
   * @param length bytes of the block, which have been consumed; -1 if they are not known
   */
  private ShuffleBlock damaged(PartitionVisit visit, long offset, int length, String what) {
    String said =
        "damaged at server "
            + visit.server().name()
            + " partition "
            + visit.partition()
            + " offset "
            + offset
            + ": "
            + what;
    int damages = visit.damaged(offset, said);
    if (damages == 1) {
      LOG.warn(
          "block damaged app={} shuffle={} partition={} server={} logicalOffset={} problem={}",
          shuffle.getApplication(),
          shuffle.getShuffle(),
          visit.partition(),
          visit.server().name(),
          offset,
          what);
    }
    if (damages < maxAttempts) {
      tally.retry();
      visit.restartFrom(offset);
      visit.server().fetchFirst(visit);
    } else if (length < 0) {
      progress.endVisit(visit);
    }
    return null;
  }

  /** Every byte of the visit has been taken and the partition is not whole. */
  private void endOfStretches(PartitionVisit visit) {
    if (visit.carry() != null) {
      damaged(visit, visit.carryOffset(), -1, "data ends inside a block");
    } else {
      progress.endVisit(visit);
    }
  }

  /** Frees the slice that is being taken apart. */
  void release() {
    if (current != null) {
      budget.drop(current);
      current = null;
    }
  }
}
