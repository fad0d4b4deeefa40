package io.sluice.client.local;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.local.PushPlan.FileRange;
import io.sluice.client.local.PushPlan.Piece;
import io.sluice.client.push.SealedPush;
import io.sluice.common.block.BlockHeader;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/** Push of one output: reads its file piece by piece and sends the pieces. Used by one thread. */
final class OutputPush {
  private final FinishedOutput output;
  private final SealedPush push;
  private final ByteBufAllocator allocator;
  private final BooleanSupplier stopped;
  private long sentBytes;
  private long withoutServerBytes;
  private long skippedBytes;

  /**
   * @param push borrows
   * @param stopped called before each frame; true ends the push
   */
  OutputPush(
      FinishedOutput output, SealedPush push, ByteBufAllocator allocator, BooleanSupplier stopped) {
    this.output = output;
    this.push = push;
    this.allocator = allocator;
    this.stopped = stopped;
  }

  /**
   * Pushes all partitions up to a maximum size, except those whose servers accept no frames.
   *
   * @return false if the push was stopped
   * @throws io.sluice.client.push.PushFailedException if a server lost acknowledged blocks
   * @throws java.io.InterruptedIOException if the thread was interrupted; its flag stays set
   * @throws IOException if the file does not exist or is damaged
   */
  boolean run(long skipAbove, SplittableRandom random) throws IOException {
    PushPlan plan =
        PushPlan.of(
            output.lengths().read(),
            push.setCount(),
            push::setOf,
            push.frameBytes(),
            skipAbove,
            random);
    skippedBytes = plan.skippedBytes();
    if (plan.pieces().isEmpty()) {
      return true;
    }
    try (FileChannel file = FileChannel.open(output.data(), StandardOpenOption.READ)) {
      for (Piece piece : plan.pieces()) {
        if (!push.hasTarget(piece.set())) {
          withoutServerBytes += piece.length();
          continue;
        }
        boolean whole =
            piece.length() <= push.frameBytes()
                ? sendAtOnce(file, piece)
                : sendInParts(file, piece.set(), piece.ranges().get(0));
        if (!whole) {
          return false;
        }
      }
    }
    push.finish();
    return true;
  }

  private boolean sendAtOnce(FileChannel file, Piece piece) throws IOException {
    if (stopped.getAsBoolean()) {
      return false;
    }
    int length = (int) piece.length();
    ByteBuf body = allocator.directBuffer(length, length);
    boolean read = false;
    try {
      for (FileRange range : piece.ranges()) {
        readFully(file, range.offset(), body, (int) range.length());
      }
      read = true;
    } finally {
      if (!read) {
        body.release();
      }
    }
    send(piece.set(), body);
    return true;
  }

  /** Splits a partition that is larger than a frame between two blocks. */
  private boolean sendInParts(FileChannel file, int set, FileRange range) throws IOException {
    long at = range.offset();
    long end = at + range.length();
    while (at < end) {
      if (stopped.getAsBoolean()) {
        return false;
      }
      int length = (int) Math.min(end - at, push.frameBytes());
      ByteBuf body = allocator.directBuffer(length, length);
      boolean read = false;
      try {
        readFully(file, at, body, length);
        int whole = wholeBlocks(body);
        if (whole == 0) {
          throw new IOException(
              "local output damaged: no whole block within "
                  + length
                  + " bytes, offset="
                  + at
                  + " file="
                  + output.data());
        }
        body.writerIndex(whole);
        read = true;
      } finally {
        if (!read) {
          body.release();
        }
      }
      at += body.readableBytes();
      send(set, body);
    }
    return true;
  }

  private void send(int set, ByteBuf body) throws IOException {
    int length = body.readableBytes();
    push.send(set, body);
    sentBytes += length;
  }

  /** Number of bytes of the whole blocks at the start of a buffer. */
  private static int wholeBlocks(ByteBuf body) {
    int at = 0;
    while (body.writerIndex() - at >= BlockHeader.LENGTH) {
      long length = BlockHeader.claimedLength(body, at);
      if (length < BlockHeader.LENGTH || length > body.writerIndex() - at) {
        break;
      }
      at += (int) length;
    }
    return at;
  }

  private void readFully(FileChannel file, long offset, ByteBuf into, int length)
      throws IOException {
    int done = 0;
    while (done < length) {
      int count = into.writeBytes(file, offset + done, length - done);
      if (count < 0) {
        throw new EOFException(
            "local output truncated: expectedBytes="
                + (offset + length)
                + " foundBytes="
                + file.size()
                + " file="
                + output.data());
      }
      done += count;
    }
  }

  /** Bytes that servers accepted, or that were in flight when the push was stopped. */
  long pushedBytes() {
    return sentBytes - push.rejectedBytes();
  }

  /** Bytes that no server accepted. */
  long rejectedBytes() {
    return withoutServerBytes + push.rejectedBytes();
  }

  long skippedBytes() {
    return skippedBytes;
  }
}
