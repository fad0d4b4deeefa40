package io.sluice.backport;

import java.nio.ByteBuffer;

/** Newer methods of {@link ByteBuffer}. */
@MethodsOf(ByteBuffer.class)
public final class ByteBufferMethods {
  private ByteBufferMethods() {}

  public static ByteBuffer get(ByteBuffer self, int index, byte[] target) {
    return get(self, index, target, 0, target.length);
  }

  public static ByteBuffer get(ByteBuffer self, int index, byte[] target, int offset, int length) {
    part(self, index, length).get(target, offset, length);
    return self;
  }

  public static ByteBuffer put(ByteBuffer self, int index, byte[] source) {
    return put(self, index, source, 0, source.length);
  }

  public static ByteBuffer put(ByteBuffer self, int index, byte[] source, int offset, int length) {
    part(self, index, length).put(source, offset, length);
    return self;
  }

  public static ByteBuffer slice(ByteBuffer self, int index, int length) {
    return part(self, index, length).slice();
  }

  /** A buffer with its own position and limit, which enclose the given bytes. */
  private static ByteBuffer part(ByteBuffer buffer, int index, int length) {
    ObjectsMethods.checkFromIndexSize(index, length, buffer.limit());
    ByteBuffer part = buffer.duplicate();
    part.limit(index + length);
    part.position(index);
    return part;
  }
}
