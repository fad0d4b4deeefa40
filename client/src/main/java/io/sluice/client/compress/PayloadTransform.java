package io.sluice.client.compress;

import java.io.IOException;

/**
 * Transform of compressed payloads that an engine supplies, normally encryption. Transformed blocks
 * have the ENCRYPTED flag. Used by one task thread at a time.
 */
public interface PayloadTransform {
  /**
   * Transforms a payload on the map side, after compression.
   *
   * @param payload borrows
   * @param length at least 1
   * @return owned by the caller: at least one byte
   */
  byte[] encode(byte[] payload, int offset, int length) throws IOException;

  /**
   * Reverts {@link #encode} on the reduce side, before decompression.
   *
   * @param payload borrows
   * @return owned by the caller
   */
  byte[] decode(byte[] payload, int offset, int length) throws IOException;
}
