package io.sluice.backport;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** Newer methods of {@link InputStream}. */
@MethodsOf(InputStream.class)
public final class InputStreamMethods {
  private static final int CHUNK_BYTES = 8 << 10;

  private InputStreamMethods() {}

  public static byte[] readAllBytes(InputStream self) throws IOException {
    return readNBytes(self, Integer.MAX_VALUE);
  }

  public static byte[] readNBytes(InputStream self, int length) throws IOException {
    if (length < 0) {
      throw new IllegalArgumentException("len < 0");
    }
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    byte[] chunk = new byte[Math.min(length, CHUNK_BYTES)];
    while (read.size() < length) {
      int count = self.read(chunk, 0, Math.min(chunk.length, length - read.size()));
      if (count < 0) {
        break;
      }
      read.write(chunk, 0, count);
    }
    return read.toByteArray();
  }

  public static int readNBytes(InputStream self, byte[] target, int offset, int length)
      throws IOException {
    ObjectsMethods.checkFromIndexSize(offset, length, target.length);
    int total = 0;
    while (total < length) {
      int count = self.read(target, offset + total, length - total);
      if (count < 0) {
        break;
      }
      total += count;
    }
    return total;
  }
}
