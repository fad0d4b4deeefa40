package io.sluice.server.storage;

import io.sluice.common.run.RunId;
import java.io.IOException;
import java.nio.channels.FileChannel;

/**
 * A committed run file. It belongs to a log until that discards it, and is open while somebody
 * reads it, and some time longer; it is deleted when it has neither log nor reader. Thread-safe.
 */
public final class RunFile implements ReadableRun {
  private final RunFiles files;
  private final Disk disk;
  private final RunId id;
  private final String name;
  private final long length;

  // Written by whoever reads; the latest of several at once is as good as any other of them.
  private volatile long lastReadNanos;

  // Guarded by this.
  private boolean discarded;
  private int readers;
  private FileChannel channel;

  RunFile(RunFiles files, Disk disk, RunId id, long length) {
    this.files = files;
    this.disk = disk;
    this.id = id;
    this.name = RunFiles.fileName(id);
    this.length = length;
  }

  public RunId id() {
    return id;
  }

  @Override
  public String name() {
    return name;
  }

  public long length() {
    return length;
  }

  @Override
  public Disk disk() {
    return disk;
  }

  @Override
  public synchronized FileChannel openChannel() {
    checkHasReader();
    return channel;
  }

  @Override
  public FileChannel channel() throws IOException {
    FileChannel open = openChannel();
    if (open != null) {
      return open;
    }
    // Outside the lock: who only takes or gives back a reference must not wait for the disk.
    FileChannel opened = disk.storage().open(name);
    synchronized (this) {
      if (channel == null) {
        channel = opened;
        return opened;
      }
      open = channel;
    }
    RunFiles.closeQuietly(opened, this);
    return open;
  }

  @Override
  public void readAt(long nowNanos) {
    lastReadNanos = nowNanos;
  }

  @Override
  public long lastReadNanos() {
    return lastReadNanos;
  }

  private void checkHasReader() {
    if (readers == 0) {
      throw new IllegalStateException("run " + this + " has no reader");
    }
  }

  @Override
  public synchronized void retain() {
    if (discarded && readers == 0) {
      throw new IllegalStateException("run " + this + " is no longer referred to");
    }
    readers++;
    files.becameBusy(this);
  }

  @Override
  public void release() {
    boolean last;
    synchronized (this) {
      if (readers == 0) {
        throw new IllegalStateException("run " + this + " released too often");
      }
      readers--;
      last = discarded && readers == 0;
      if (!last && readers == 0 && channel != null) {
        files.becameIdle(this);
      }
    }
    if (last) {
      files.unreferenced(this);
    }
    files.closeIdle();
  }

  @Override
  public void discard() {
    boolean last;
    synchronized (this) {
      last = !discarded && readers == 0;
      discarded = true;
    }
    if (last) {
      files.unreferenced(this);
    }
  }

  /** Closes the file if nobody reads it. */
  void closeIfIdle() {
    FileChannel toClose = null;
    synchronized (this) {
      if (readers == 0) {
        toClose = channel;
        channel = null;
      }
    }
    if (toClose != null) {
      RunFiles.closeQuietly(toClose, this);
    }
  }

  void closeAndDelete() throws IOException {
    closeIfIdle();
    disk.storage().delete(name);
  }

  @Override
  public String toString() {
    return disk.name() + "/" + name;
  }
}
