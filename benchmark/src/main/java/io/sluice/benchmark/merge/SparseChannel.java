package io.sluice.benchmark.merge;

import io.sluice.server.disk.RestrictedFileChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/**
 * File of an {@link EmulatedDisk}, with the operations that writing, merging and reading need. Each
 * is one request to the disk model; a copy between files is one read and one write.
 */
final class SparseChannel extends RestrictedFileChannel {
  private static final int COPY_BYTES = 1 << 20;

  private final SparseContent content;
  private final DiskModel model;

  SparseChannel(SparseContent content, DiskModel model) {
    super("emulated file");
    this.content = content;
    this.model = model;
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int count) throws IOException {
    checkOpen();
    long before = content.length();
    for (int i = offset; i < offset + count; i++) {
      content.append(sources[i]);
    }
    model.request(content, before, content.length() - before);
    return content.length() - before;
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    return (int) write(new ByteBuffer[] {source}, 0, 1);
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    checkOpen();
    int bytes = content.read(target, position);
    if (bytes > 0) {
      model.request(content, position, bytes);
    }
    return bytes;
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
    checkOpen();
    long bytes = Math.max(0, Math.min(count, content.length() - position));
    if (target instanceof SparseChannel other) {
      model.request(content, position, bytes);
      model.request(other.content, other.content.length(), bytes);
      other.content.append(content, position, bytes);
      return bytes;
    }
    ByteBuffer some = ByteBuffer.allocate((int) Math.min(bytes, COPY_BYTES));
    read(some, position);
    return target.write(some.flip());
  }

  @Override
  public long size() throws IOException {
    checkOpen();
    return content.length();
  }

  @Override
  public long position() throws IOException {
    return size();
  }

  @Override
  public void force(boolean metaData) {}

  @Override
  protected void implCloseChannel() {}
}
