package io.sluice.server.read;

import io.sluice.server.disk.Disk;
import io.sluice.server.disk.ReadableRun;
import java.io.IOException;
import java.nio.channels.FileChannel;

/** A run with a file from the test and a count of its readers. */
final class FakeRun implements ReadableRun {
  private final Disk disk;
  private final Opener opener;
  private FileChannel channel;
  private int readers;
  private long lastRead;

  /** Opens the file or throws. */
  interface Opener {
    FileChannel open() throws IOException;
  }

  FakeRun(Disk disk, Opener opener) {
    this.disk = disk;
    this.opener = opener;
  }

  synchronized int readers() {
    return readers;
  }

  @Override
  public String name() {
    return "fake.run";
  }

  @Override
  public String application() {
    return "app";
  }

  @Override
  public Disk disk() {
    return disk;
  }

  @Override
  public synchronized FileChannel openChannel() {
    return channel;
  }

  @Override
  public FileChannel channel() throws IOException {
    FileChannel opened = opener.open();
    synchronized (this) {
      channel = opened;
    }
    return opened;
  }

  @Override
  public FileChannel openOwn() throws IOException {
    return opener.open();
  }

  @Override
  public synchronized void markRead(long nowNanos) {
    lastRead = nowNanos;
  }

  @Override
  public synchronized long lastReadNanos() {
    return lastRead;
  }

  @Override
  public synchronized void retain() {
    readers++;
  }

  @Override
  public synchronized void release() {
    readers--;
    if (readers < 0) {
      throw new IllegalStateException("released too often");
    }
  }

  @Override
  public void discard() {}
}
