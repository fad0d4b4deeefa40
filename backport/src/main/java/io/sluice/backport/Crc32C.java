package io.sluice.backport;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.util.zip.Checksum;

/**
 * CRC-32C. From Java 9 on this is the JDK's class, whose methods become instructions of the
 * processor. Java 8 has none, so {@link TableCrc32C} computes it there, several times slower. Not
 * thread-safe.
 */
@Replaces("java.util.zip.CRC32C")
public final class Crc32C implements Checksum {
  private static final String JDK_CLASS = "java.util.zip.CRC32C";

  /** Constants, so that the compiler can inline calls through them. */
  private static final MethodHandle NEW;

  private static final MethodHandle UPDATE;

  static {
    Class<?> type = TableCrc32C.class;
    try {
      type = Class.forName(JDK_CLASS, true, null);
    } catch (ClassNotFoundException e) {
      // Java 8.
    }
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      NEW =
          lookup
              .findConstructor(type, MethodType.methodType(void.class))
              .asType(MethodType.methodType(Checksum.class));
      UPDATE =
          lookup
              .findVirtual(type, "update", MethodType.methodType(void.class, ByteBuffer.class))
              .asType(MethodType.methodType(void.class, Checksum.class, ByteBuffer.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Checksum checksum;

  public Crc32C() {
    try {
      checksum = (Checksum) NEW.invokeExact();
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public void update(int value) {
    checksum.update(value);
  }

  public void update(byte[] bytes) {
    checksum.update(bytes, 0, bytes.length);
  }

  @Override
  public void update(byte[] bytes, int offset, int length) {
    checksum.update(bytes, offset, length);
  }

  /** Adds the remaining bytes, and moves the position to the limit. Borrows. */
  public void update(ByteBuffer buffer) {
    try {
      UPDATE.invokeExact(checksum, buffer);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @Override
  public long getValue() {
    return checksum.getValue();
  }

  @Override
  public void reset() {
    checksum.reset();
  }

  /** Neither method throws a checked exception. */
  private static RuntimeException unexpected(Throwable failure) {
    if (failure instanceof Error) {
      throw (Error) failure;
    }
    return failure instanceof RuntimeException
        ? (RuntimeException) failure
        : new IllegalStateException(failure);
  }
}
