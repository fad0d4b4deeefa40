package io.sluice.server.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;

/** A file channel over bytes in memory, with the methods that stores and transports use. */
final class InMemoryChannel extends RestrictedFileChannel {
  /** The bytes of a file, which remain when its channels are closed. */
  static final class Content {
    private byte[] bytes = new byte[1024];
    private int length;

    int length() {
      return length;
    }

    Content copy() {
      Content copy = new Content();
      copy.bytes = Arrays.copyOf(bytes, bytes.length);
      copy.length = length;
      return copy;
    }

    void flip(int offset) {
      bytes[offset] ^= 1;
    }

    void truncate(int to) {
      length = to;
    }

    void append(ByteBuffer source) {
      int count = source.remaining();
      if (length + count > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + count));
      }
      source.get(bytes, length, count);
      length += count;
    }
  }

  /** Decides before each call how many bytes it may transfer, or throws. */
  interface Gate {
    int admit(int wanted) throws IOException;
  }

  private final Content content;
  private final Gate writes;
  private final Gate reads;
  private final Runnable onClose;

  InMemoryChannel(Content content, Gate writes, Gate reads, Runnable onClose) {
    super("a file in memory");
    this.content = content;
    this.writes = writes;
    this.reads = reads;
    this.onClose = onClose;
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
    long written = 0;
    for (int i = offset; i < offset + length; i++) {
      int wanted = sources[i].remaining();
      int taken = write(sources[i]);
      written += taken;
      if (taken < wanted) {
        break;
      }
    }
    return written;
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    checkOpen();
    int admitted = writes.admit(source.remaining());
    int limit = source.limit();
    source.limit(source.position() + admitted);
    content.append(source);
    source.limit(limit);
    return admitted;
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    checkOpen();
    if (position >= content.length) {
      return -1;
    }
    int admitted = reads.admit(target.remaining());
    int count = (int) Math.min(admitted, content.length - position);
    target.put(content.bytes, (int) position, count);
    return count;
  }

  @Override
  public long size() throws IOException {
    checkOpen();
    return content.length;
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
    checkOpen();
    int admitted = reads.admit((int) Math.min(count, Integer.MAX_VALUE));
    int length = (int) Math.max(0, Math.min(admitted, content.length - position));
    return target.write(ByteBuffer.wrap(content.bytes, (int) position, length));
  }

  @Override
  public long position() throws IOException {
    checkOpen();
    return content.length;
  }

  @Override
  public void force(boolean metaData) {}

  @Override
  protected void implCloseChannel() {
    onClose.run();
  }
}
