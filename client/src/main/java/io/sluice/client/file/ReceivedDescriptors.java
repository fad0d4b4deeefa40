package io.sluice.client.file;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Makes files of descriptors that came over a socket. Java has no door for that: a {@code
 * FileDescriptor} is given the number where its package is open to others ({@code
 * --add-opens=java.base/java.io=ALL-UNNAMED}, as Spark has it), else the file is opened anew
 * through {@code /proc}, if its permissions allow that.
 */
final class ReceivedDescriptors {
  private final Field number;

  ReceivedDescriptors() {
    Field found = null;
    try {
      found = FileDescriptor.class.getDeclaredField("fd");
      found.setAccessible(true);
    } catch (ReflectiveOperationException | RuntimeException e) {
      // Then by /proc.
      found = null;
    }
    number = found;
  }

  /**
   * @param received takes: closed with the channel, or if this fails
   */
  FileChannel open(io.netty.channel.unix.FileDescriptor received) throws IOException {
    if (number == null) {
      try {
        return FileChannel.open(
            Path.of("/proc/self/fd/" + received.intValue()), StandardOpenOption.READ);
      } finally {
        received.close();
      }
    }
    FileDescriptor descriptor = new FileDescriptor();
    try {
      number.setInt(descriptor, received.intValue());
    } catch (IllegalAccessException e) {
      received.close();
      throw new IOException("a file descriptor cannot be made", e);
    }
    // The channel owns the stream, and with it the descriptor.
    return new FileInputStream(descriptor).getChannel();
  }
}
