package io.sluice.spark.write;

import java.io.ByteArrayOutputStream;

/** A growing byte array whose content is read in place. Owned by one task thread. */
final class RecordBuffer extends ByteArrayOutputStream {
  RecordBuffer(int initialBytes) {
    super(initialBytes);
  }

  /**
   * The backing array; the first {@link #size} bytes are the content. Borrowed until the next write
   * or reset.
   */
  byte[] array() {
    return buf;
  }

  /** Empties the buffer, and replaces an array that has grown beyond {@code keepBytes}. */
  void clear(int keepBytes) {
    reset();
    if (buf.length > keepBytes) {
      buf = new byte[keepBytes];
    }
  }
}
