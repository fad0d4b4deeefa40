package io.sluice.server.remote.spi;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A file that is being written, by one thread. */
public interface RemoteOutput extends AutoCloseable {
  /**
   * Appends the remaining bytes of a buffer to the file.
   *
   * @param source borrows; direct or on the heap
   */
  void write(ByteBuffer source) throws IOException;

  /**
   * Completes the file: when this returns, all bytes are stored and can be read.
   *
   * @throws IOException if the file may be incomplete
   */
  void complete() throws IOException;

  /** Closes the file, and deletes it if it was not completed. Idempotent. */
  @Override
  void close() throws IOException;
}
