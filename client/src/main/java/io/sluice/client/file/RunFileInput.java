package io.sluice.client.file;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/** An open run file. Thread-safe; several reads may run at a time. */
public interface RunFileInput extends AutoCloseable {
  /**
   * Appends bytes of the file to a buffer. May wait for a disk or a network.
   *
   * @param target borrows: at least {@code length} writable bytes
   * @throws IOException if not all bytes can be read, or the file was closed
   */
  void read(long position, ByteBuf target, int length) throws IOException;

  /** Idempotent. */
  @Override
  void close();
}
