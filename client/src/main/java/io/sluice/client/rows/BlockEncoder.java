package io.sluice.client.rows;

import io.sluice.common.block.BlockEncoding;

/** Encodes blocks of records before compression. Owned by one thread. */
public interface BlockEncoder {
  /** The encoding in the header of an encoded block. */
  BlockEncoding encoding();

  /**
   * Encodes whole records.
   *
   * @param bytes borrows
   * @param count number of the records
   * @return length of the result, which is in {@link #encoded}; -1 if the bytes are no such
   *     records, or if the result would not be shorter
   */
  int encode(byte[] bytes, int offset, int length, int count);

  /** The result; valid until the next call of {@link #encode}. */
  byte[] encoded();
}
