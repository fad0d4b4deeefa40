package io.sluice.common.run;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.util.Arrays;

/**
 * A file that is written sequentially with gathering writes. Borrows every buffer until the next
 * {@link #flush}. Not thread-safe.
 */
final class RunOutput {
  /** Maximum number of buffers in one system call (IOV_MAX). */
  private static final int MAX_BUFFERS = 1024;

  /** Collected buffers are written when they reach this number of bytes. */
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

  /** Offset of the next byte. */
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

  /**
   * Advances the position after {@code bytes} were written to the channel directly; call {@link
   * #flush} before.
   */
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
        throw new IOException("cannot write to the file: write returned " + written);
      }
    }
    Arrays.fill(pending, 0, pendingCount, null);
    pendingCount = 0;
    pendingBytes = 0;
  }
}
