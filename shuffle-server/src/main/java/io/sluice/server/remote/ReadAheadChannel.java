package io.sluice.server.remote;

import io.sluice.server.disk.RestrictedFileChannel;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Reads header and footer of a remote run with few requests: a block list is one small read for
 * each partition, and each read of a remote file is a request. Keeps the last bytes read: the
 * beginning of the file, or a window that begins at the requested position, and ends at the end of
 * the file if that is near. Not thread-safe.
 */
final class ReadAheadChannel extends RestrictedFileChannel {
  /** More than a header, which is read first. */
  private static final int HEAD_BYTES = 4 << 10;

  private static final int WINDOW_BYTES = 1 << 20;

  private final FileChannel channel;
  private byte[] window = new byte[0];
  private long windowStart;

  /**
   * @param channel takes
   */
  ReadAheadChannel(FileChannel channel) {
    super("a remote file");
    this.channel = channel;
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    checkOpen();
    if (!target.hasRemaining()) {
      return 0;
    }
    if (position >= channel.size()) {
      return -1;
    }
    if (position < windowStart || position >= windowStart + window.length) {
      load(position);
    }
    int at = (int) (position - windowStart);
    int count = Math.min(target.remaining(), window.length - at);
    target.put(window, at, count);
    return count;
  }

  private void load(long position) throws IOException {
    long size = channel.size();
    int bytes = position == 0 ? HEAD_BYTES : WINDOW_BYTES;
    // The trailer is read before the other parts of the footer.
    long start = position == 0 ? 0 : Math.max(0, Math.min(position, size - bytes));
    byte[] loaded = new byte[(int) Math.min(bytes, size - start)];
    ByteBuffer target = ByteBuffer.wrap(loaded);
    while (target.hasRemaining()) {
      if (channel.read(target, start + target.position()) < 0) {
        throw new EOFException("remote file ends at " + (start + target.position()));
      }
    }
    window = loaded;
    windowStart = start;
  }

  @Override
  public long size() throws IOException {
    checkOpen();
    return channel.size();
  }

  @Override
  protected void implCloseChannel() throws IOException {
    channel.close();
  }
}
