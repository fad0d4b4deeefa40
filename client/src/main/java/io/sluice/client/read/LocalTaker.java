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

/** Takes the answers of local output apart into verified blocks. Owned by the task thread. */
final class LocalTaker {
  private static final Logger LOG = LoggerFactory.getLogger(LocalTaker.class);

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
  private int place;
  private long at;
  private ByteBuf buffer;
  private String damage;
  private String failure;

  /**
   * @param output null for none; closed by {@link #close}
   */
  LocalTaker(
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

  /** Whether an answer has not been taken apart to its end. */
  boolean isBusy() {
    return current != null;
  }

  /** Waits for the next answer. There must be something outstanding. */
  void begin() throws IOException {
    long start = time.nanoTime();
    Answer answer;
    try {
      answer = output.next();
    } finally {
      tally.waitedForLocalOutput(time.nanoTime() - start);
    }
    if (answer == null) {
      for (Piece piece : pieces.outstanding()) {
        take(new Answer(piece, null, 0, "no answer"));
      }
    } else {
      take(answer);
    }
    read.throwIfMissing();
  }

  private void take(Answer answer) {
    current = answer;
    progress = pieces.progressOf(answer.piece());
    at = 0;
    damage = null;
    failure = answer.failure();
    if (progress == null) {
      // Nobody waits for it: it was answered before, or never asked for.
      closeStream();
      current = null;
      return;
    }
    place = progress.expected().placeOf(answer.piece().mapAttempt());
    if (answer.blocks() == null) {
      end();
    }
  }

  /** Goes on in the current answer up to the next content; null and no answer at its end. */
  ShuffleBlock next() throws IOException {
    while (at < current.bytes() && !progress.received().isWhole(place)) {
      long start = at;
      int length;
      try {
        length = readBlock();
      } catch (IOException e) {
        if (Thread.currentThread().isInterrupted()) {
          throw e;
        }
        failure = "cannot be read at byte " + start + ": " + e.getMessage();
        break;
      }
      if (length < 0) {
        break;
      }
      ShuffleBlock block = block(start, length);
      if (block != null) {
        return block;
      }
    }
    end();
    read.throwIfMissing();
    return null;
  }

  /** Reads the next block whole; -1 if its end cannot be known. */
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
      damaged(at, "block length " + length + " cannot be");
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
            "block is of attempt " + header.mapAttempt() + " partition " + header.partition());
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

  /** The first damage of an answer is told; what lies behind it is read if it can be found. */
  private void damaged(long offset, String what) {
    if (damage == null) {
      damage = "damaged at byte " + offset + ": " + what;
      LOG.warn(
          "local block damaged app={} shuffle={} partition={} attempt={} offset={} problem={}",
          shuffle.getApplication(),
          shuffle.getShuffle(),
          current.piece().partition(),
          current.piece().mapAttempt(),
          offset,
          what);
    }
  }

  /** The current answer gives no more. */
  private void end() {
    if (damage != null || failure != null) {
      tally.localOutputFailed();
    }
    if (!progress.received().isWhole(place)) {
      String said = damage != null ? damage : failure;
      progress.failedLocally(
          place,
          damage != null,
          said == null ? "it does not have all that the servers lack" : said);
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
        LOG.debug("stream of local blocks cannot be closed", e);
      }
    }
  }

  private void releaseBuffer() {
    if (buffer != null) {
      buffer.release();
      buffer = null;
    }
  }

  /** Frees everything. Idempotent. */
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
