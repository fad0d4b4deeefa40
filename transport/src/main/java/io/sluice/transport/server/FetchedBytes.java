package io.sluice.transport.server;

import io.netty.buffer.ByteBuf;
import io.sluice.proto.FetchReply;
import java.nio.channels.FileChannel;
import java.util.List;

/**
 * The answer to a Fetch: pieces whose bytes, in order, are the body of the reply. Owned by whoever
 * receives it, who calls {@link #close} exactly once, when every piece was written or given up.
 */
public interface FetchedBytes extends AutoCloseable {
  FetchReply head();

  /** Bytes of all pieces. */
  int length();

  List<Piece> pieces();

  /**
   * Some more bytes, from the front, have left the process. Called by the owner, before {@link
   * #close}, which stands for all the rest.
   */
  default void left(int bytes) {}

  @Override
  void close();

  /** A stretch of the body. */
  sealed interface Piece permits MemoryPiece, FilePiece {
    int length();
  }

  /**
   * Bytes in memory. The buffer belongs to the FetchedBytes: a transport that hands it to a channel
   * writes a {@code retainedSlice}.
   */
  record MemoryPiece(ByteBuf buffer) implements Piece {
    @Override
    public int length() {
      return buffer.readableBytes();
    }
  }

  /**
   * Bytes of a file, for {@code sendfile}. The channel stays open, and the file's bytes stay, until
   * the FetchedBytes is closed; it is shared, so only positioned reads are allowed.
   */
  record FilePiece(FileChannel channel, long position, int length) implements Piece {}
}
