package io.sluice.common.test;

import java.security.SecureRandom;

/**
 * Random bytes 00, 01, 02, … of each request, so that a test knows the bytes of a format.
 * Immutable.
 */
public final class CountingRandom extends SecureRandom {
  private static final long serialVersionUID = 1;

  @Override
  public void nextBytes(byte[] bytes) {
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
  }
}
