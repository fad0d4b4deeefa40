package io.sluice.transport.client;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.transport.protocol.FrameFormatException;
import io.sluice.transport.protocol.FrameFormatException.Reason;
import io.sluice.transport.protocol.FrameHeader;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.protocol.FrameSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/**
 * Cuts the bytes of a socket into frames. Bodies are read to where they stay; besides that it holds
 * one head and a few kilobytes. Belongs to the loop's thread.
 */
final class SocketFrameReader {
  /** Large enough for several replies without a body in one read. */
  private static final int SMALL_READ_LENGTH = 8 << 10;

  /** A body's rest below this is not worth a read of its own; the next header comes with it. */
  private static final int MIN_DIRECT_LENGTH = 2 << 10;

  /** So that one connection does not keep the others waiting. */
  private static final int READS_AT_ONCE = 16;

  private final ReadableByteChannel channel;
  private final ByteBufAllocator allocator;
  private final FrameLimits limits;
  private final FrameSink sink;
  private final ByteBuffer small = ByteBuffer.allocateDirect(SMALL_READ_LENGTH).flip();
  private ByteBuf frame;
  private FrameHeader header;
  private ByteBuf body;
  private boolean ended;

  SocketFrameReader(
      ReadableByteChannel channel, ByteBufAllocator allocator, FrameLimits limits, FrameSink sink) {
    this.channel = channel;
    this.allocator = allocator;
    this.limits = limits;
    this.sink = sink;
  }

  /**
   * Where the body goes that {@link FrameSink#onHead} announced; called by it.
   *
   * @param target takes: empty, with exactly the body's length of writable bytes
   */
  void receiveBody(ByteBuf target) {
    if (ended) {
      target.release();
    } else {
      body = target;
    }
  }

  /** Takes nothing more and frees what is half received. Idempotent. */
  void end() {
    ended = true;
    if (frame != null) {
      frame.release();
      frame = null;
    }
    if (body != null) {
      body.release();
      body = null;
    }
  }

  /**
   * Reads what is there.
   *
   * @return whether the other side may send more; it has closed the connection otherwise
   */
  boolean read() throws IOException {
    for (int reads = 0; reads < READS_AT_ONCE && !ended; reads++) {
      int read;
      if (body != null && body.writableBytes() >= MIN_DIRECT_LENGTH) {
        ByteBuffer target = body.internalNioBuffer(body.writerIndex(), body.writableBytes());
        read = channel.read(target);
        if (read > 0) {
          body.writerIndex(body.writerIndex() + read);
          deliverWhole();
        }
      } else {
        small.clear();
        read = channel.read(small);
        small.flip();
        consume();
      }
      if (read <= 0) {
        return read == 0;
      }
    }
    return true;
  }

  private void consume() {
    while (small.hasRemaining() && !ended) {
      if (body != null) {
        transfer(body, body.writableBytes());
        deliverWhole();
      } else {
        collectHead();
      }
    }
  }

  private void transfer(ByteBuf to, int most) {
    int length = Math.min(most, small.remaining());
    int end = small.limit();
    small.limit(small.position() + length);
    to.writeBytes(small);
    small.limit(end);
  }

  private void deliverWhole() {
    if (body.isWritable()) {
      return;
    }
    ByteBuf whole = body;
    body = null;
    sink.onBody(header, whole);
  }

  private void collectHead() {
    if (frame == null) {
      frame = allocator.buffer(256);
      header = null;
    }
    if (header == null) {
      // Grows with what has arrived, not with what the header promises.
      transfer(frame, FrameHeader.LENGTH - frame.readableBytes());
      if (frame.readableBytes() < FrameHeader.LENGTH) {
        return;
      }
      try {
        header = FrameHeader.read(frame, 0, limits);
      } catch (FrameFormatException e) {
        malformed(e);
        return;
      }
    }
    transfer(frame, FrameHeader.LENGTH + header.headLength() - frame.readableBytes());
    if (frame.readableBytes() == FrameHeader.LENGTH + header.headLength()) {
      headComplete();
    }
  }

  private void headComplete() {
    try {
      header.verifyHead(frame, 0);
    } catch (FrameFormatException e) {
      malformed(e);
      return;
    }
    ByteBuf head = frame;
    frame = null;
    try {
      sink.onHead(header, head);
    } finally {
      head.release();
    }
  }

  private void malformed(FrameFormatException problem) {
    boolean named =
        problem.reason() != Reason.TRUNCATED
            && problem.reason() != Reason.BAD_MAGIC
            && problem.reason() != Reason.BAD_VERSION;
    long requestId = named ? FrameHeader.requestId(frame, 0) : 0;
    end();
    sink.onMalformed(requestId, problem);
  }
}
