package io.sluice.transport.client;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;

/** A frame being written to a socket. Used by one thread at a time. */
final class OutgoingFrame {
  private final ByteBuf headerAndHead;
  private final ByteBuf body;
  private ByteBuffer[] pieces;
  private int writtenPieces;

  /**
   * @param headerAndHead takes ownership
   * @param body takes ownership; null if there is none
   */
  OutgoingFrame(ByteBuf headerAndHead, ByteBuf body) {
    this.headerAndHead = headerAndHead;
    this.body = body;
  }

  /** Writes as many bytes as the socket accepts; returns whether the frame is complete. */
  boolean write(GatheringByteChannel channel) throws IOException {
    if (pieces == null) {
      pieces = pieces();
    }
    while (writtenPieces < pieces.length) {
      if (!pieces[writtenPieces].hasRemaining()) {
        writtenPieces++;
      } else if (channel.write(pieces, writtenPieces, pieces.length - writtenPieces) == 0) {
        return false;
      }
    }
    return true;
  }

  private ByteBuffer[] pieces() {
    if (body == null) {
      return headerAndHead.nioBuffers();
    }
    ByteBuffer[] head = headerAndHead.nioBuffers();
    ByteBuffer[] rest = body.nioBuffers();
    ByteBuffer[] all = new ByteBuffer[head.length + rest.length];
    System.arraycopy(head, 0, all, 0, head.length);
    System.arraycopy(rest, 0, all, head.length, rest.length);
    return all;
  }

  void release() {
    headerAndHead.release();
    if (body != null) {
      body.release();
    }
  }
}
