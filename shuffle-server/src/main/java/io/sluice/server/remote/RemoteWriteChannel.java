package io.sluice.server.remote;

import io.sluice.server.disk.RestrictedFileChannel;
import io.sluice.server.remote.spi.RemoteOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/** Writes a remote file sequentially. Belongs to one thread. */
final class RemoteWriteChannel extends RestrictedFileChannel {
  private static final int TRANSFER_BYTES = 1 << 20;

  private final RemoteOutput output;
  private long written;

  /**
   * @param output borrows: the caller closes it
   */
  RemoteWriteChannel(RemoteOutput output) {
    super("a remote file");
    this.output = output;
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    checkOpen();
    int count = source.remaining();
    output.write(source);
    written += count;
    return count;
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
    long count = 0;
    for (int i = offset; i < offset + length; i++) {
      count += write(sources[i]);
    }
    return count;
  }

  @Override
  public long position() throws IOException {
    checkOpen();
    return written;
  }

  @Override
  public long size() throws IOException {
    return position();
  }

  /** Appends: {@code position} must be the end of the file. */
  @Override
  public long transferFrom(ReadableByteChannel source, long position, long count)
      throws IOException {
    checkOpen();
    if (position != written) {
      throw new IllegalArgumentException(
          "a remote file of "
              + written
              + " bytes can be written at its end only, not at "
              + position);
    }
    ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(TRANSFER_BYTES, count));
    long transferred = 0;
    while (transferred < count) {
      buffer.clear().limit((int) Math.min(buffer.capacity(), count - transferred));
      if (source.read(buffer) <= 0) {
        break;
      }
      transferred += write(buffer.flip());
    }
    return transferred;
  }

  /** Does nothing: completing a file stores it. */
  @Override
  public void force(boolean metaData) {}

  @Override
  protected void implCloseChannel() {}
}
