package io.sluice.client.file;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/** An open run file. Thread-safe; reads may go on while others do. */
public interface RunFileInput extends AutoCloseable {
  /**
   * Appends bytes of the file to a buffer. May wait for a disk or a network.
   *
   * @param target borrows; has room for them
   * @throws IOException if not all can be read, or the file was closed
   */
  void read(long position, ByteBuf target, int length) throws IOException;

  /** Idempotent. */
  @Override
  void close();
}
