package io.sluice.server.disk;

import java.io.FileDescriptor;
import java.lang.reflect.Field;
import java.nio.channels.FileChannel;

/**
 * Returns the file descriptor of an open file. Needs the JVM options {@code
 * --add-opens=java.base/sun.nio.ch=ALL-UNNAMED --add-opens=java.base/java.io=ALL-UNNAMED}.
 */
public final class Descriptors {
  private final Class<?> channelClass;
  private final Field descriptor;
  private final Field number;

  private Descriptors(Class<?> channelClass, Field descriptor, Field number) {
    this.channelClass = channelClass;
    this.descriptor = descriptor;
    this.number = number;
  }

  /**
   * @throws UnsupportedOperationException if the JVM does not permit access; the message is one
   *     line
   */
  public static Descriptors find() {
    try {
      Class<?> channelClass = Class.forName("sun.nio.ch.FileChannelImpl");
      Field descriptor = channelClass.getDeclaredField("fd");
      Field number = FileDescriptor.class.getDeclaredField("fd");
      descriptor.setAccessible(true);
      number.setAccessible(true);
      return new Descriptors(channelClass, descriptor, number);
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw new UnsupportedOperationException(
          "file descriptors are not accessible: " + e.getMessage(), e);
    }
  }

  /** The descriptor of an open file; -1 for a channel that has none. */
  public int of(FileChannel channel) {
    if (!channelClass.isInstance(channel)) {
      return -1;
    }
    try {
      return number.getInt(descriptor.get(channel));
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("made accessible before", e);
    }
  }
}
