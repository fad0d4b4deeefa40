package io.sluice.client.file;

import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import io.sluice.proto.RunFileRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A scripted server that passes file descriptors. Owned by one thread. */
final class DescriptorServer implements AutoCloseable {
  private static final int SOCKET_PATH_BYTES = 107;

  private final String path;
  private final List<Socket> sockets = new ArrayList<>();
  private final Socket listener;

  DescriptorServer(Path socket) throws IOException {
    path = socket.toString();
    listener = Socket.newSocketDomain();
    sockets.add(listener);
    listener.bind(new DomainSocketAddress(path));
    listener.listen(8);
  }

  String path() {
    return path;
  }

  /** Waits for the next connection. */
  Socket accept() throws IOException {
    int number = -1;
    while (number < 0) {
      checkInterrupt();
      number = listener.accept(new byte[1 + SOCKET_PATH_BYTES]);
    }
    Socket accepted = new Socket(number);
    sockets.add(accepted);
    return accepted;
  }

  /** Waits for the next request. */
  static RunFileRequest take(Socket accepted) throws IOException {
    ByteBuffer length = read(accepted, Integer.BYTES);
    return RunFileRequest.parseFrom(read(accepted, length.order(ByteOrder.LITTLE_ENDIAN).getInt()));
  }

  private static ByteBuffer read(Socket from, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocateDirect(length);
    int read = 0;
    while (read < length) {
      checkInterrupt();
      read += Math.max(0, from.read(bytes, read, length));
    }
    return bytes;
  }

  private static void checkInterrupt() throws IOException {
    Thread.onSpinWait();
    if (Thread.currentThread().isInterrupted()) {
      throw new IOException("interrupted");
    }
  }

  @Override
  public void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
