package io.sluice.client.read;

import io.sluice.client.file.NamedRunFile;

/**
 * A run file that a read opens without its server. It is used until the first failure. Owned by one
 * thread.
 */
final class LocatedFile {
  private final NamedRunFile file;
  private boolean usable = true;

  LocatedFile(NamedRunFile file) {
    this.file = file;
  }

  NamedRunFile file() {
    return file;
  }

  boolean isUsable() {
    return usable;
  }

  void failed() {
    usable = false;
  }

  /** A byte offset in a file. */
  record Position(LocatedFile file, long offset) {
    Position plus(long bytes) {
      return new Position(file, offset + bytes);
    }

    /** Whether {@code next} is {@code bytes} bytes after this position in the same file. */
    boolean isFollowedBy(Position next, long bytes) {
      return next != null && next.file == file && next.offset == offset + bytes;
    }
  }
}
