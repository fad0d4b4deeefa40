package io.sluice.transport.server;

import io.netty.buffer.ByteBuf;
import io.sluice.proto.FetchReply;
import java.nio.channels.FileChannel;
import java.util.List;

/**
 * Result of a Fetch: pieces whose bytes, in order, are the body of the reply. The receiver owns it
 * and calls {@link #close} exactly once, when every piece was sent or discarded.
 */
public interface FetchedBytes extends AutoCloseable {
  FetchReply head();

  /** Total length of all pieces in bytes. */
  int length();

  List<Piece> pieces();

  /**
   * Reports that the next {@code bytes} were accepted by the socket. Called by the owner before
   * {@link #close}, which releases the remaining bytes.
   */
  default void sent(int bytes) {}

  @Override
  void close();

  /** A part of the body. */
  sealed interface Piece permits MemoryPiece, FilePiece {
    int length();
  }

  /**
   * Bytes in memory. The FetchedBytes owns the buffer: a transport writes a {@code retainedSlice}
   * to its channel.
   */
  record MemoryPiece(ByteBuf buffer) implements Piece {
    @Override
    public int length() {
      return buffer.readableBytes();
    }
  }

  /**
   * Bytes of a file, for {@code sendfile}. The channel stays open and the file unchanged until the
   * FetchedBytes is closed. The channel is shared, so only positioned reads are allowed.
   */
  record FilePiece(FileChannel channel, long position, int length) implements Piece {}
}
