package io.sluice.common.run;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.util.Arrays;

/**
 * A file that is written from front to back, with gathering writes. Borrows every buffer until the
 * next {@link #flush}. Not thread-safe.
 */
final class RunOutput {
  /** Most buffers that the system takes in one write (IOV_MAX). */
  private static final int MAX_BUFFERS = 1024;

  /**
   * Bytes after which collected buffers are written, so that not too much lies between two writes.
   */
  private static final int FLUSH_BYTES = 4 << 20;

  private final GatheringByteChannel channel;
  private final ByteBuffer[] pending = new ByteBuffer[MAX_BUFFERS];
  private int pendingCount;
  private int pendingBytes;
  private long position;

  /**
   * @param channel an empty file; stays open
   */
  RunOutput(GatheringByteChannel channel) {
    this.channel = channel;
  }

  /** Where the next byte goes. */
  long position() {
    return position;
  }

  void add(ByteBuf buffer) throws IOException {
    int length = buffer.readableBytes();
    if (buffer.isContiguous()) {
      add(buffer.nioBuffer(buffer.readerIndex(), length));
      return;
    }
    for (ByteBuffer part : buffer.nioBuffers(buffer.readerIndex(), length)) {
      add(part);
    }
  }

  void add(ByteBuffer bytes) throws IOException {
    if (pendingCount == MAX_BUFFERS || pendingBytes >= FLUSH_BYTES) {
      flush();
    }
    pending[pendingCount++] = bytes;
    pendingBytes += bytes.remaining();
    position += bytes.remaining();
  }

  /** So many bytes were written behind its back, right after a {@link #flush}. */
  void skip(long bytes) {
    if (pendingCount > 0) {
      throw new IllegalStateException(pendingBytes + " bytes are not written yet");
    }
    position += bytes;
  }

  void flush() throws IOException {
    int first = 0;
    while (first < pendingCount) {
      long written = channel.write(pending, first, pendingCount - first);
      while (first < pendingCount && !pending[first].hasRemaining()) {
        first++;
      }
      if (written <= 0 && first < pendingCount) {
        throw new IOException("the file takes no more bytes");
      }
    }
    Arrays.fill(pending, 0, pendingCount, null);
    pendingCount = 0;
    pendingBytes = 0;
  }
}
