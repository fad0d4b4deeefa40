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
 * Parses slices into verified blocks, one slice at a time. A block may begin in one slice and end
 * in the next of the same server; its first bytes wait in {@link PartitionVisit#partialBlock}.
 * Owned by the task thread.
 */
final class SliceParser {
  private static final Logger LOG = LoggerFactory.getLogger(SliceParser.class);

  private static final int MAX_BLOCK_BYTES = FrameLimits.DEFAULT.maxBodyLength();

  private final ShuffleId shuffle;
  private final int maxAttempts;
  private final ReadServers servers;
  private final ReadProgress progress;
  private final SliceBudget budget;
  private final ReadTally tally;
  private final BlockAssembler assembler;
  private final ByteBufAllocator allocator;
  private final BlockRepairs repairs;
  private Slice current;

  /**
   * @param maxAttempts maximum number of times that a damaged block is fetched
   */
  SliceParser(
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
    this.repairs = new BlockRepairs(shuffle, allocator);
  }

  /** Whether a slice is not parsed completely. */
  boolean isBusy() {
    return current != null;
  }

  /** Starts to parse the next received slice of any server; false if there is none. */
  boolean nextSlice() {
    for (int i = 0; i < servers.count(); i++) {
      ReadServer server = servers.inTurn(i);
      Slice slice = server.slices().peekFirst();
      if (slice != null && slice.state() == Slice.State.RECEIVED) {
        server.slices().removeFirst();
        current = slice;
        servers.endTurn(i);
        return true;
      }
    }
    return false;
  }

  /**
   * Parses the current slice up to the next batch; returns null at its end, after which there is no
   * slice.
   */
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
          visit.partialBlock() == null
              ? blockInSlice(body, visit)
              : completePartialBlock(body, visit);
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

  private ShuffleBlock blockInSlice(ByteBuf body, PartitionVisit visit) throws IOException {
    int index = current.index();
    int available = current.available();
    long offset = current.offset();
    if (available >= BlockHeader.LENGTH) {
      long length = BlockHeader.claimedLength(body, index);
      if (!isPlausible(visit, offset, length)) {
        return damaged(visit, offset, -1, "invalid block length " + length);
      }
      if (length <= available) {
        consume(visit, (int) length);
        return block(body, index, (int) length, visit, offset);
      }
    }
    ByteBuf partialBlock = allocator.directBuffer(BlockHeader.LENGTH);
    visit.startPartialBlock(partialBlock, offset);
    return completePartialBlock(body, visit);
  }

  /** Appends bytes of the slice to the partial block; returns a batch if the block is whole. */
  private ShuffleBlock completePartialBlock(ByteBuf body, PartitionVisit visit) throws IOException {
    ByteBuf partialBlock = visit.partialBlock();
    long offset = visit.partialBlockOffset();
    if (current.offset() != offset + partialBlock.readableBytes()) {
      return damaged(visit, offset, -1, "the block ends before its length");
    }
    if (partialBlock.readableBytes() < BlockHeader.LENGTH) {
      fill(body, visit, partialBlock, BlockHeader.LENGTH);
      if (partialBlock.readableBytes() < BlockHeader.LENGTH) {
        return null;
      }
      long length = BlockHeader.claimedLength(partialBlock, 0);
      if (!isPlausible(visit, offset, length)) {
        return damaged(visit, offset, -1, "invalid block length " + length);
      }
      partialBlock.ensureWritable((int) length - BlockHeader.LENGTH);
    }
    int length = (int) BlockHeader.claimedLength(partialBlock, 0);
    fill(body, visit, partialBlock, length);
    if (partialBlock.readableBytes() < length) {
      return null;
    }
    partialBlock.retain();
    visit.releasePartialBlock();
    try {
      return block(partialBlock, 0, length, visit, offset);
    } finally {
      partialBlock.release();
    }
  }

  private void fill(ByteBuf body, PartitionVisit visit, ByteBuf partialBlock, int upTo) {
    int count = Math.min(upTo - partialBlock.readableBytes(), current.available());
    partialBlock.writeBytes(body, current.index(), count);
    consume(visit, count);
  }

  private void consume(PartitionVisit visit, int count) {
    current.consume(count);
    visit.parsed(count, current.offset());
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
        return damaged(
            visit, offset, length, "the block belongs to partition " + header.partition());
      }
      long before = assembler.blocks();
      ShuffleBlock batch = assembler.accept(visit.progress(), buffer, index, header);
      if (assembler.blocks() > before) {
        repairs.delivered(visit, buffer, index, length);
      }
      return batch;
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
   * Fetches everything from the damaged block on again, a few times, and reports the block to the
   * server with that. If it is damaged there too, the server replies LOST. Otherwise, after the
   * last time, skips the block if its length is known, else ends the visit.
   *
   * @param length bytes of the block, which are consumed; -1 if the length is damaged
   */
  private ShuffleBlock damaged(PartitionVisit visit, long offset, int length, String problem) {
    String detail =
        "block damaged partition="
            + visit.partition()
            + " server="
            + visit.server().name()
            + " logicalOffset="
            + offset
            + ": "
            + problem;
    int damages = visit.damaged(offset, detail);
    if (damages == 1) {
      LOG.warn(
          "block damaged application={} shuffle={} partition={} server={} logicalOffset={}"
              + " problem={}",
          shuffle.getApplication(),
          shuffle.getShuffle(),
          visit.partition(),
          visit.server().name(),
          offset,
          problem);
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

  /** Every byte of the visit is parsed and the partition is not whole: ends the visit. */
  private void endOfStretches(PartitionVisit visit) {
    if (visit.partialBlock() != null) {
      damaged(visit, visit.partialBlockOffset(), -1, "the data ends inside a block");
    } else {
      progress.endVisit(visit);
    }
  }

  /** Frees the current slice. */
  void release() {
    if (current != null) {
      budget.drop(current);
      current = null;
    }
  }
}
