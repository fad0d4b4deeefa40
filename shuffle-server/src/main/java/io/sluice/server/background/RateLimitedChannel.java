package io.sluice.server.background;

import io.sluice.server.disk.RestrictedFileChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Reads a file in large windows; each read of a window waits for a gate. A run is verified with two
 * sequential positions, blocks and block lists, so there are two windows. Supports positioned reads
 * only, by one thread.
 */
final class RateLimitedChannel extends RestrictedFileChannel {
  static final int WINDOW_BYTES = 1 << 20;

  /** Called before each read of the file. */
  interface Gate {
    void pass(int bytes) throws IOException;
  }

  private static final class Window {
    final ByteBuffer bytes;
    long start;
    long lastUse;

    Window(ByteBuffer bytes) {
      this.bytes = bytes;
    }

    boolean contains(long position) {
      return position >= start && position - start < bytes.limit();
    }
  }

  private final FileChannel file;
  private final Gate gate;
  private final Window[] windows;
  private long uses;

  /**
   * @param file takes: closed with this
   * @param buffers borrowed until this is closed; {@link #newBuffers}
   */
  RateLimitedChannel(FileChannel file, Gate gate, ByteBuffer[] buffers) {
    super("a file under verification");
    this.file = file;
    this.gate = gate;
    this.windows = new Window[buffers.length];
    for (int i = 0; i < buffers.length; i++) {
      windows[i] = new Window(buffers[i].limit(0));
    }
  }

  /** Memory for the windows of one channel at a time. */
  static ByteBuffer[] newBuffers() {
    return new ByteBuffer[] {
      ByteBuffer.allocateDirect(WINDOW_BYTES), ByteBuffer.allocateDirect(WINDOW_BYTES)
    };
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    if (!target.hasRemaining()) {
      return 0;
    }
    Window window = windowAt(position);
    if (window == null) {
      return -1;
    }
    int skip = (int) (position - window.start);
    int length = Math.min(target.remaining(), window.bytes.limit() - skip);
    target.put(window.bytes.slice(skip, length));
    return length;
  }

  @Override
  public long size() throws IOException {
    return file.size();
  }

  /** The window with the byte at a position, read if necessary; null at the end of the file. */
  private Window windowAt(long position) throws IOException {
    Window oldest = windows[0];
    for (Window window : windows) {
      if (window.contains(position)) {
        window.lastUse = ++uses;
        return window;
      }
      if (window.lastUse < oldest.lastUse) {
        oldest = window;
      }
    }
    long left = file.size() - position;
    if (left <= 0) {
      return null;
    }
    gate.pass((int) Math.min(left, oldest.bytes.capacity()));
    oldest.bytes.clear();
    oldest.start = position;
    try {
      while (oldest.bytes.hasRemaining()
          && file.read(oldest.bytes, position + oldest.bytes.position()) > 0) {
        // Until the window is full or the file ends.
      }
    } finally {
      oldest.bytes.flip();
    }
    oldest.lastUse = ++uses;
    return oldest.bytes.hasRemaining() ? oldest : null;
  }

  @Override
  protected void implCloseChannel() throws IOException {
    file.close();
  }
}
