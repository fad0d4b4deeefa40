package io.sluice.client.file;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/**
 * The first fields of a run file: magic, version, run id, which is its name. See the run format in
 * docs/formats.md.
 */
public final class RunFileHeader {
  /** Number of bytes that {@link #check} reads. */
  public static final int LENGTH = 24;

  private static final int MAGIC = 'S' | 'L' << 8 | 'R' << 16 | 'N' << 24;

  private RunFileHeader() {}

  /**
   * Verifies that an open file is the requested run file.
   *
   * @param header borrows: the first {@link #LENGTH} bytes
   * @param name name of the file, without directories
   * @throws IOException if it is another file
   */
  public static void check(ByteBuf header, String name) throws IOException {
    int at = header.readerIndex();
    String found =
        String.format("%016x%016x.run", header.getLongLE(at + 8), header.getLongLE(at + 16));
    if (header.getIntLE(at) != MAGIC || !found.equals(name)) {
      throw new IOException(
          "the server returned another run file, found=" + found + " expected=" + name);
    }
  }
}
