package io.sluice.client.read;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.read.LocalOutput.Answer;
import io.sluice.client.read.LocalOutput.Piece;
import io.sluice.client.server.TaskTime;
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
 * Parses the answers of local output, one at a time, into verified blocks. Owned by the task
 * thread.
 */
final class LocalOutputParser {
  private static final Logger LOG = LoggerFactory.getLogger(LocalOutputParser.class);

  private static final int MAX_BLOCK_BYTES =
      FrameLimits.DEFAULT.maxBodyLength() + BlockHeader.LENGTH;

  private final ShuffleId shuffle;
  private final LocalPieces pieces;
  private final ReadProgress read;
  private final ReadTally tally;
  private final TaskTime time;
  private final LocalOutput output;
  private final BlockAssembler assembler;
  private final ByteBufAllocator allocator;
  private Answer current;
  private PartitionProgress progress;
  private int attemptIndex;
  private long at;
  private ByteBuf buffer;
  private String damage;
  private String failure;

  /**
   * @param output closed by {@link #close}; null for none
   */
  LocalOutputParser(
      ShuffleId shuffle,
      LocalOutput output,
      LocalPieces pieces,
      ReadProgress read,
      ReadTally tally,
      BlockAssembler assembler,
      ByteBufAllocator allocator,
      TaskTime time) {
    this.shuffle = shuffle;
    this.output = output;
    this.pieces = pieces;
    this.read = read;
    this.tally = tally;
    this.time = time;
    this.assembler = assembler;
    this.allocator = allocator;
  }

  /** Whether an answer is not parsed completely. */
  boolean isBusy() {
    return current != null;
  }

  /** Waits for the next answer. At least one piece must be outstanding. */
  void nextAnswer() throws IOException {
    long start = time.nanoTime();
    Answer answer;
    try {
      answer = output.next();
    } finally {
      tally.waitedForLocalOutput(time.nanoTime() - start);
    }
    if (answer == null) {
      for (Piece piece : pieces.outstanding()) {
        startAnswer(new Answer(piece, null, 0, "no answer"));
      }
    } else {
      startAnswer(answer);
    }
    read.throwIfMissing();
  }

  private void startAnswer(Answer answer) {
    current = answer;
    progress = pieces.progressOf(answer.piece());
    at = 0;
    damage = null;
    failure = answer.failure();
    if (progress == null) {
      // The piece was answered before, or was never requested.
      closeStream();
      current = null;
      return;
    }
    attemptIndex = progress.expected().indexOf(answer.piece().mapAttempt());
    if (answer.blocks() == null) {
      end();
    }
  }

  /**
   * Parses the current answer up to the next batch; returns null at its end, after which there is
   * no answer.
   */
  ShuffleBlock next() throws IOException {
    while (at < current.bytes() && !progress.received().isWhole(attemptIndex)) {
      long start = at;
      int length;
      try {
        length = readBlock();
      } catch (IOException e) {
        if (Thread.currentThread().isInterrupted()) {
          throw e;
        }
        failure = "read failed at byte " + start + ": " + e.getMessage();
        break;
      }
      if (length < 0) {
        break;
      }
      ShuffleBlock block = block(start, length);
      read.throwIfMissing();
      if (block != null) {
        return block;
      }
    }
    end();
    read.throwIfMissing();
    return null;
  }

  /** Reads the next whole block; -1 if its length is damaged. */
  private int readBlock() throws IOException {
    long left = current.bytes() - at;
    if (buffer == null) {
      buffer = allocator.directBuffer(BlockHeader.LENGTH);
    }
    buffer.clear();
    if (left < BlockHeader.LENGTH || !fill(BlockHeader.LENGTH)) {
      damaged(at, "data ends inside a block");
      return -1;
    }
    long length = BlockHeader.claimedLength(buffer, 0);
    if (length < BlockHeader.LENGTH || length > MAX_BLOCK_BYTES || length > left) {
      damaged(at, "invalid block length " + length);
      return -1;
    }
    buffer.ensureWritable((int) length - BlockHeader.LENGTH);
    if (!fill((int) length)) {
      damaged(at, "data ends inside a block");
      return -1;
    }
    at += length;
    tally.localBlockRead((int) length);
    return (int) length;
  }

  private boolean fill(int upTo) throws IOException {
    while (buffer.readableBytes() < upTo) {
      if (buffer.writeBytes(current.blocks(), upTo - buffer.readableBytes()) < 0) {
        return false;
      }
    }
    return true;
  }

  private ShuffleBlock block(long start, int length) throws IOException {
    Piece piece = current.piece();
    try {
      BlockHeader header = BlockFormat.readVerified(buffer, 0, length);
      if (header.partition() != piece.partition() || header.mapAttempt() != piece.mapAttempt()) {
        damaged(
            start,
            "the block belongs to attempt="
                + header.mapAttempt()
                + " partition="
                + header.partition());
        return null;
      }
      long before = assembler.blocks();
      ShuffleBlock block = assembler.accept(progress, buffer, 0, header);
      tally.localBlocksAccepted(assembler.blocks() - before);
      return block;
    } catch (BlockFormatException e) {
      damaged(start, e.getMessage());
    } catch (SluiceException e) {
      if (e.code() != StatusCode.BLOCK_CORRUPT) {
        throw e;
      }
      damaged(start, e.getMessage());
    }
    return null;
  }

  /**
   * Logs the first damage of an answer. Parsing continues behind it if the block length is valid.
   */
  private void damaged(long offset, String problem) {
    if (damage == null) {
      damage = "damaged at byte " + offset + ": " + problem;
      LOG.warn(
          "local block damaged application={} shuffle={} partition={} attempt={} offset={}"
              + " problem={}",
          shuffle.getApplication(),
          shuffle.getShuffle(),
          current.piece().partition(),
          current.piece().mapAttempt(),
          offset,
          problem);
    }
  }

  /** Ends the current answer. */
  private void end() {
    if (damage != null || failure != null) {
      tally.localOutputFailed();
    }
    if (!progress.received().isWhole(attemptIndex)) {
      String detail = damage != null ? damage : failure;
      progress.failedLocally(
          attemptIndex,
          damage != null,
          detail == null ? "it does not have all blocks that the servers lack" : detail);
    }
    closeStream();
    boolean lastOfPartition = pieces.end(current.piece());
    current = null;
    if (lastOfPartition) {
      read.endLocally(progress);
    }
    releaseBuffer();
  }

  private void closeStream() {
    if (current.blocks() != null) {
      try {
        current.blocks().close();
      } catch (IOException e) {
        LOG.debug("closing the stream of local blocks failed", e);
      }
    }
  }

  private void releaseBuffer() {
    if (buffer != null) {
      buffer.release();
      buffer = null;
    }
  }

  /** Frees all resources. Idempotent. */
  void close() {
    if (current != null) {
      closeStream();
      current = null;
    }
    releaseBuffer();
    if (output != null) {
      output.close();
    }
  }
}
