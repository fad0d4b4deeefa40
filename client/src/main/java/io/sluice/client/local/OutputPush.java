package io.sluice.client.local;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.local.PushPlan.Piece;
import io.sluice.client.local.PushPlan.Stretch;
import io.sluice.client.push.SealedPush;
import io.sluice.common.block.BlockHeader;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/** The pushing of one output: reads its file piece by piece, and sends. Used by one thread. */
final class OutputPush {
  private final FinishedOutput output;
  private final SealedPush push;
  private final ByteBufAllocator allocator;
  private final BooleanSupplier stopped;
  private long sentBytes;
  private long passedBytes;
  private long skippedBytes;

  /**
   * @param push borrows
   * @param stopped asked before each frame; true ends the pushing
   */
  OutputPush(
      FinishedOutput output, SealedPush push, ByteBufAllocator allocator, BooleanSupplier stopped) {
    this.output = output;
    this.push = push;
    this.allocator = allocator;
    this.stopped = stopped;
  }

  /**
   * Pushes all but partitions above a limit, and those of servers that take nothing.
   *
   * @return false if it was stopped before the end
   * @throws io.sluice.client.push.PushFailedException if a server lost what it took
   * @throws java.io.InterruptedIOException if the thread was interrupted; its flag stays set
   * @throws IOException if the file is not there, or is something else
   */
  boolean run(long skipAbove, RandomGenerator random) throws IOException {
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
          passedBytes += piece.length();
          continue;
        }
        boolean whole =
            piece.length() <= push.frameBytes()
                ? sendAtOnce(file, piece)
                : sendInParts(file, piece.set(), piece.stretches().get(0));
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
      for (Stretch stretch : piece.stretches()) {
        readFully(file, stretch.offset(), body, (int) stretch.length());
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

  /** A partition larger than a frame is cut between two blocks. */
  private boolean sendInParts(FileChannel file, int set, Stretch stretch) throws IOException {
    long at = stretch.offset();
    long end = at + stretch.length();
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
              "no whole block within "
                  + length
                  + " bytes at "
                  + at
                  + " of local output file="
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

  /** Bytes of the blocks that are there to their end. */
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
            "local output ends early: expected "
                + (offset + length)
                + " bytes, found "
                + file.size()
                + " file="
                + output.data());
      }
      done += count;
    }
  }

  /** Taken by servers, or on their way when it was stopped. */
  long pushedBytes() {
    return sentBytes - push.leftBytes();
  }

  /** Of servers that took nothing. */
  long leftBytes() {
    return passedBytes + push.leftBytes();
  }

  long skippedBytes() {
    return skippedBytes;
  }
}
