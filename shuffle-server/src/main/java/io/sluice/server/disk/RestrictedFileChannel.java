package io.sluice.server.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/**
 * A file channel that supports only the methods that a subclass overrides; all others throw {@link
 * UnsupportedOperationException}.
 */
public abstract class RestrictedFileChannel extends FileChannel {
  private final String name;

  /**
   * @param name name for messages
   */
  protected RestrictedFileChannel(String name) {
    this.name = name;
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    throw unsupported("read at a position");
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    throw unsupported("write");
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
    throw unsupported("write");
  }

  @Override
  public long size() throws IOException {
    throw unsupported("size");
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
    throw unsupported("transfer");
  }

  @Override
  public int read(ByteBuffer target) {
    throw unsupported("read");
  }

  @Override
  public long read(ByteBuffer[] targets, int offset, int length) {
    throw unsupported("read");
  }

  @Override
  public long position() throws IOException {
    throw unsupported("position");
  }

  @Override
  public FileChannel position(long newPosition) {
    throw unsupported("position");
  }

  @Override
  public FileChannel truncate(long size) {
    throw unsupported("truncate");
  }

  @Override
  public void force(boolean metaData) throws IOException {
    throw unsupported("force");
  }

  @Override
  public long transferFrom(ReadableByteChannel source, long position, long count)
      throws IOException {
    throw unsupported("transfer");
  }

  @Override
  public int write(ByteBuffer source, long position) {
    throw unsupported("write at a position");
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) {
    throw unsupported("map");
  }

  @Override
  public FileLock lock(long position, long size, boolean shared) {
    throw unsupported("lock");
  }

  @Override
  public FileLock tryLock(long position, long size, boolean shared) {
    throw unsupported("lock");
  }

  protected final void checkOpen() throws ClosedChannelException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }

  private UnsupportedOperationException unsupported(String what) {
    return new UnsupportedOperationException(name + " does not support: " + what);
  }
}
