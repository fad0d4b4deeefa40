package io.sluice.backport;

import java.io.ByteArrayOutputStream;

/** Newer methods of {@link ByteArrayOutputStream}. */
@MethodsOf(ByteArrayOutputStream.class)
public final class ByteArrayOutputStreamMethods {
  private ByteArrayOutputStreamMethods() {}

  public static void writeBytes(ByteArrayOutputStream self, byte[] bytes) {
    self.write(bytes, 0, bytes.length);
  }
}
