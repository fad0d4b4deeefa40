package io.sluice.server.remote.spi;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A file that is being read. Thread-safe: concurrent reads at several positions are permitted. */
public interface RemoteInput extends AutoCloseable {
  /** Length of the file in bytes. */
  long length();

  /**
   * Reads at a position; may return fewer bytes than the target has space for.
   *
   * @param target borrows; direct or on the heap
   * @return bytes read; -1 at the end of the file
   */
  int read(long position, ByteBuffer target) throws IOException;

  /** Idempotent. */
  @Override
  void close() throws IOException;
}
