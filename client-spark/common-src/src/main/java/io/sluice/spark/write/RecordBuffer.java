package io.sluice.spark.write;

import java.io.ByteArrayOutputStream;

/**
 * A byte array that grows and whose content is read in place. Not thread-safe; its methods are not
 * synchronized in effect, since one task thread owns it.
 */
final class RecordBuffer extends ByteArrayOutputStream {
  RecordBuffer(int initialBytes) {
    super(initialBytes);
  }

  /** The content is its first {@link #size} bytes. Borrowed until the next write or reset. */
  byte[] array() {
    return buf;
  }

  /**
   * Empties it, and drops an array that one large record has made larger than {@code keepBytes}.
   */
  void clear(int keepBytes) {
    reset();
    if (buf.length > keepBytes) {
      buf = new byte[keepBytes];
    }
  }
}
