package io.sluice.server.log;

import io.netty.buffer.ByteBuf;

/** Location of requested bytes. The owner calls {@link #release} once. */
public sealed interface LogPiece {
  int length();

  void release();

  /** Bytes in memory; the buffer is owned by the piece. */
  record InMemory(ByteBuf buffer) implements LogPiece {
    @Override
    public int length() {
      return buffer.readableBytes();
    }

    @Override
    public void release() {
      buffer.release();
    }
  }

  /**
   * Bytes of a run file; the piece owns one reference to the run.
   *
   * @param following number of bytes of the same partition that follow in the file
   */
  record InFile(StoredRun run, long position, int length, long following) implements LogPiece {
    /** A piece whose following bytes are not known. */
    public InFile(StoredRun run, long position, int length) {
      this(run, position, length, 0);
    }

    @Override
    public void release() {
      run.release();
    }
  }
}
