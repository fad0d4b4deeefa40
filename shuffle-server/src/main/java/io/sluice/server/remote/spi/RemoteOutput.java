package io.sluice.server.remote.spi;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A file that is being written, by one thread. */
public interface RemoteOutput extends AutoCloseable {
  /**
   * Writes all that remains of a buffer at the end of the file.
   *
   * @param source borrows; direct or on the heap
   */
  void write(ByteBuffer source) throws IOException;

  /**
   * Ends the file: when this returns, all of it is stored and can be read.
   *
   * @throws IOException if that is not so, as far as can be told
   */
  void complete() throws IOException;

  /** Ends the writing; of a file that was not completed nothing stays. Idempotent. */
  @Override
  void close() throws IOException;
}
