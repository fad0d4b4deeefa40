package io.sluice.spark.engine;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * Block contents as a byte stream: either all contents concatenated, for a serializer whose streams
 * can be joined, or one content at a time. Not thread-safe.
 */
public final class BlockInputStream extends InputStream {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final BlockContents contents;
  private final boolean joined;
  private ByteBuffer content = NOTHING;

  /**
   * @param contents borrows: closing the stream does not close it
   * @param joined whether the stream continues with the next content at the end of one
   */
  public BlockInputStream(BlockContents contents, boolean joined) {
    this.contents = contents;
    this.joined = joined;
  }

  /** Moves to the next content; false if there is none. */
  public boolean advance() throws IOException {
    ByteBuffer next = contents.next();
    content = next == null ? NOTHING : next;
    return next != null;
  }

  @Override
  public int read() throws IOException {
    return ready() ? content.get() & 0xFF : -1;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (!ready()) {
      return -1;
    }
    int count = Math.min(length, content.remaining());
    content.get(target, offset, count);
    return count;
  }

  @Override
  public long skip(long count) throws IOException {
    long skipped = 0;
    while (skipped < count && ready()) {
      int step = (int) Math.min(count - skipped, content.remaining());
      content.position(content.position() + step);
      skipped += step;
    }
    return skipped;
  }

  @Override
  public int available() {
    return content.remaining();
  }

  private boolean ready() throws IOException {
    while (!content.hasRemaining()) {
      if (!joined || !advance()) {
        return false;
      }
    }
    return true;
  }
}
