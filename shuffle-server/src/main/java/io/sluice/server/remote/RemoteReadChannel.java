package io.sluice.server.remote;

import io.sluice.server.disk.RestrictedFileChannel;
import io.sluice.server.remote.spi.RemoteInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** Positioned reads of a complete remote file. Thread-safe. */
final class RemoteReadChannel extends RestrictedFileChannel {
  /** Large, to amortize the latency of a request. */
  private static final int TRANSFER_BYTES = 1 << 20;

  private final RemoteInput input;

  /**
   * @param input takes
   */
  RemoteReadChannel(RemoteInput input) {
    super("a remote file");
    this.input = input;
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    checkOpen();
    if (!target.hasRemaining()) {
      return 0;
    }
    return position >= input.length() ? -1 : input.read(position, target);
  }

  @Override
  public long size() throws IOException {
    checkOpen();
    return input.length();
  }

  /** Copies through a buffer; returns less than {@code count} if the target accepts fewer bytes. */
  @Override
  public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
    long end = Math.min(position + count, size());
    ByteBuffer buffer =
        ByteBuffer.allocate((int) Math.max(0, Math.min(TRANSFER_BYTES, end - position)));
    long at = position;
    while (at < end) {
      buffer.clear().limit((int) Math.min(buffer.capacity(), end - at));
      if (read(buffer, at) < 0) {
        break;
      }
      buffer.flip();
      int wanted = buffer.remaining();
      int taken = target.write(buffer);
      at += taken;
      if (taken < wanted) {
        break;
      }
    }
    return at - position;
  }

  @Override
  protected void implCloseChannel() throws IOException {
    input.close();
  }
}
