package io.sluice.client.read;

import io.sluice.client.file.NamedRunFile;

/** A run file that a read may read itself, until that fails once. Belongs to one thread. */
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

  /** A byte of the file. */
  record Place(LocatedFile file, long position) {
    Place plus(long bytes) {
      return new Place(file, position + bytes);
    }

    /** Whether {@code next} is the byte {@code bytes} after this one. */
    boolean leadsTo(Place next, long bytes) {
      return next != null && next.file == file && next.position == position + bytes;
    }
  }
}
