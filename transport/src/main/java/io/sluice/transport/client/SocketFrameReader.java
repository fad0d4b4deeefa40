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
 * Splits the bytes of a socket into frames. Bodies are read directly into their memory; in addition
 * it buffers one head and a few kilobytes. Confined to the loop's thread.
 */
final class SocketFrameReader {
  /** Large enough for several replies without a body in one read. */
  private static final int SMALL_READ_LENGTH = 8 << 10;

  /** A shorter rest of a body is read together with the next header instead of separately. */
  private static final int MIN_DIRECT_LENGTH = 2 << 10;

  /** Maximum number of consecutive reads of one connection, so that others are not delayed. */
  private static final int MAX_CONSECUTIVE_READS = 16;

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
   * Receives the body announced by {@link FrameSink#onHead}; called in that method.
   *
   * @param target takes ownership; empty, with exactly the body's length of writable bytes
   */
  void receiveBody(ByteBuf target) {
    if (ended) {
      target.release();
    } else {
      body = target;
    }
  }

  /** Stops receiving and frees an incomplete frame. Idempotent. */
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
   * Reads the available bytes.
   *
   * @return false if the peer has closed the connection
   */
  boolean read() throws IOException {
    for (int reads = 0; reads < MAX_CONSECUTIVE_READS && !ended; reads++) {
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

  private void transfer(ByteBuf to, int max) {
    int length = Math.min(max, small.remaining());
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
      // Grows with the received bytes, not to the length in the header.
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
    boolean hasRequestId =
        problem.reason() != Reason.TRUNCATED
            && problem.reason() != Reason.BAD_MAGIC
            && problem.reason() != Reason.BAD_VERSION;
    long requestId = hasRequestId ? FrameHeader.requestId(frame, 0) : 0;
    end();
    sink.onMalformed(requestId, problem);
  }
}
