package io.sluice.server.remote.spi;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A file that is being read. Thread-safe: reads at several positions may go on at a time. */
public interface RemoteInput extends AutoCloseable {
  /** Bytes of the file. */
  long length();

  /**
   * Reads at a position, as many bytes as come at once.
   *
   * @param target borrows; direct or on the heap
   * @return bytes read; -1 at the end of the file
   */
  int read(long position, ByteBuffer target) throws IOException;

  /** Idempotent. */
  @Override
  void close() throws IOException;
}
