package io.sluice.client.file;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Opens file channels for descriptors that were received over a socket. Java has no API for this.
 * If {@code java.io} is open to this module ({@code --add-opens=java.base/java.io=ALL-UNNAMED},
 * which Spark sets), the number is set in a {@code FileDescriptor} by reflection. Otherwise the
 * file is opened again through {@code /proc}, which needs permission to read the file.
 */
final class ReceivedDescriptors {
  private final Field number;

  ReceivedDescriptors() {
    Field found = null;
    try {
      found = FileDescriptor.class.getDeclaredField("fd");
      found.setAccessible(true);
    } catch (ReflectiveOperationException | RuntimeException e) {
      // The channel is opened through /proc.
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
      throw new IOException("the number of a file descriptor cannot be set", e);
    }
    // The channel owns the stream, and with it the descriptor.
    return new FileInputStream(descriptor).getChannel();
  }
}
