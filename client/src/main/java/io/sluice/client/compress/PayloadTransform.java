package io.sluice.client.compress;

import java.io.IOException;

/**
 * What an engine does to a payload between compression and the wire, normally encryption. Blocks
 * that went through it carry the ENCRYPTED flag. Used by one task thread at a time.
 */
public interface PayloadTransform {
  /**
   * Map side, after compression.
   *
   * @param payload borrows
   * @param length at least 1
   * @return owned by the caller: at least one byte
   */
  byte[] encode(byte[] payload, int offset, int length) throws IOException;

  /**
   * Reduce side, before decompression: the inverse of {@link #encode}.
   *
   * @param payload borrows
   * @return owned by the caller
   */
  byte[] decode(byte[] payload, int offset, int length) throws IOException;
}
