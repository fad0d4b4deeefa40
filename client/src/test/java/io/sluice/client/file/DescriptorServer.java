package io.sluice.client.file;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloReply;
import io.sluice.proto.RunFileRequest;
import io.sluice.transport.protocol.LocalSocketFrame;
import io.sluice.transport.protocol.ProtocolVersion;
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

  /** Whether a connection waits to be accepted. */
  boolean hasConnection() throws IOException {
    return listener.accept(new byte[1 + SOCKET_PATH_BYTES]) >= 0;
  }

  /** Accepts the next connection and its HELLO, without authentication. */
  Socket acceptGreeted(long epoch) throws IOException {
    Socket accepted = accept();
    take(accepted, LocalSocketFrame.HELLO, Hello.parser());
    send(
        accepted,
        LocalSocketFrame.HELLO_REPLY,
        HelloReply.newBuilder().setVersion(ProtocolVersion.CURRENT).setEpoch(epoch).build());
    return accepted;
  }

  /** Waits for the next request. */
  static RunFileRequest take(Socket accepted) throws IOException {
    return take(accepted, LocalSocketFrame.RUN_FILES, RunFileRequest.parser());
  }

  /** Waits for the next message. */
  static <T> T take(Socket accepted, LocalSocketFrame type, Parser<T> parser) throws IOException {
    ByteBuffer header = read(accepted, LocalSocketFrame.HEADER_LENGTH);
    int length = header.getInt();
    type.check(length, header.get());
    return parser.parseFrom(read(accepted, length));
  }

  static void send(Socket accepted, LocalSocketFrame type, MessageLite message) throws IOException {
    byte[] bytes = message.toByteArray();
    ByteBuffer frame =
        ByteBuffer.allocateDirect(LocalSocketFrame.HEADER_LENGTH + bytes.length)
            .order(ByteOrder.LITTLE_ENDIAN);
    frame.putInt(bytes.length).put((byte) type.wireNumber()).put(bytes);
    accepted.write(frame, 0, frame.capacity());
  }

  private static ByteBuffer read(Socket from, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
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
