package io.sluice.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import io.sluice.proto.RunFileRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Client of short-circuit reads, like any process of the host. Not thread-safe. */
final class SocketClient implements AutoCloseable {
  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final Socket socket = Socket.newSocketDomain();

  SocketClient(Path path) throws IOException {
    assertThat(socket.connect(new DomainSocketAddress(path.toString()))).isTrue();
  }

  void send(RunFileRequest request) throws IOException {
    byte[] bytes = request.toByteArray();
    ByteBuffer frame =
        ByteBuffer.allocateDirect(Integer.BYTES + bytes.length).order(ByteOrder.LITTLE_ENDIAN);
    frame.putInt(bytes.length).put(bytes);
    assertThat(socket.write(frame, 0, frame.capacity())).isEqualTo(frame.capacity());
  }

  /** Reads the next descriptor; null if the server closed the connection. */
  FileDescriptor receive() throws IOException {
    long deadline = System.nanoTime() + DEADLINE_NANOS;
    while (true) {
      int number;
      try {
        number = socket.recvFd();
      } catch (ClosedChannelException e) {
        return null;
      }
      if (number > 0) {
        return new FileDescriptor(number);
      }
      if (number < 0) {
        return null;
      }
      assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
      LockSupport.parkNanos(100_000);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
