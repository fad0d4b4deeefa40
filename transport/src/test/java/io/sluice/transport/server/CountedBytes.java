package io.sluice.transport.server;

import io.netty.buffer.ByteBuf;
import io.sluice.proto.FetchReply;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;

/** Fetched bytes that count their unsent bytes. */
final class CountedBytes implements FetchedBytes {
  private final List<Piece> pieces = new ArrayList<>();
  private int length;
  private int sentBytes;
  private boolean closed;

  /**
   * @param bytes takes ownership
   */
  CountedBytes add(ByteBuf bytes) {
    length += bytes.readableBytes();
    pieces.add(new MemoryPiece(bytes));
    return this;
  }

  CountedBytes add(FileChannel file, long position, int bytes) {
    length += bytes;
    pieces.add(new FilePiece(file, position, bytes));
    return this;
  }

  /** Number of unsent bytes; 0 when closed. */
  int unsentBytes() {
    return closed ? 0 : length - sentBytes;
  }

  boolean isClosed() {
    return closed;
  }

  @Override
  public FetchReply head() {
    return FetchReply.newBuilder().setEpoch(7).build();
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public List<Piece> pieces() {
    return pieces;
  }

  @Override
  public void sent(int bytes) {
    sentBytes += bytes;
    if (closed || sentBytes > length) {
      throw new IllegalStateException(sentBytes + " of " + length + " bytes, closed=" + closed);
    }
  }

  @Override
  public void close() {
    if (closed) {
      throw new IllegalStateException("closed twice");
    }
    closed = true;
    for (Piece piece : pieces) {
      if (piece instanceof MemoryPiece memory) {
        memory.buffer().release();
      }
    }
  }
}
