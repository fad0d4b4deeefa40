package io.sluice.client.file;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/**
 * The beginning of a run file, up to and with its name: magic, version, run id. See the run format
 * in docs/formats.md.
 */
public final class RunFileHeader {
  /** Length of the part that {@link #check} looks at, in bytes. */
  public static final int LENGTH = 24;

  private static final int MAGIC = 'S' | 'L' << 8 | 'R' << 16 | 'N' << 24;

  private RunFileHeader() {}

  /**
   * Makes sure that an open file is the run file that was asked for.
   *
   * @param header borrows: the first {@link #LENGTH} bytes
   * @param name of the file, without directories
   * @throws IOException if it is another file
   */
  public static void check(ByteBuf header, String name) throws IOException {
    int at = header.readerIndex();
    String found =
        String.format("%016x%016x.run", header.getLongLE(at + 8), header.getLongLE(at + 16));
    if (header.getIntLE(at) != MAGIC || !found.equals(name)) {
      throw new IOException("the server gave run " + found + " for " + name);
    }
  }
}
