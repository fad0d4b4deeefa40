package io.sluice.server.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;

/** A file channel over bytes in memory, with as many calls as stores and transports make. */
final class InMemoryChannel extends FileChannel {
  /** The bytes of a file, which outlive its channels. */
  static final class Content {
    private byte[] bytes = new byte[1024];
    private int length;

    int length() {
      return length;
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

  /** Decides before each call how many bytes it may take or give, or throws. */
  interface Gate {
    int admit(int wanted) throws IOException;
  }

  private final Content content;
  private final Gate writes;
  private final Gate reads;
  private final Runnable onClose;

  InMemoryChannel(Content content, Gate writes, Gate reads, Runnable onClose) {
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
  public int read(ByteBuffer target) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long read(ByteBuffer[] targets, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long position() throws IOException {
    checkOpen();
    return content.length;
  }

  @Override
  public FileChannel position(long newPosition) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileChannel truncate(long size) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void force(boolean metaData) {}

  @Override
  public long transferFrom(ReadableByteChannel source, long position, long count) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int write(ByteBuffer source, long position) {
    throw new UnsupportedOperationException();
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileLock lock(long position, long size, boolean shared) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileLock tryLock(long position, long size, boolean shared) {
    throw new UnsupportedOperationException();
  }

  @Override
  protected void implCloseChannel() {
    onClose.run();
  }

  private void checkOpen() throws ClosedChannelException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }
}
