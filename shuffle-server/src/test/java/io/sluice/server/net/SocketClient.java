package io.sluice.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloReply;
import io.sluice.proto.RunFileRequest;
import io.sluice.transport.protocol.ClientHandshake;
import io.sluice.transport.protocol.LocalSocketFrame;
import io.sluice.transport.protocol.ProofScope;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Client of short-circuit reads, like any process of the host. Not thread-safe. */
final class SocketClient implements AutoCloseable {
  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final Socket socket = Socket.newSocketDomain();

  SocketClient(Path path) throws IOException {
    assertThat(socket.connect(new DomainSocketAddress(path.toString()))).isTrue();
  }

  /** Finishes a handshake without a token. */
  SocketClient greet(String application) throws IOException {
    greet(new ClientHandshake(application, "test", Optional.empty(), ProofScope.DATA, "127.0.0.1"));
    return this;
  }

  /** Finishes a handshake; returns the epoch of the server. */
  long greet(ClientHandshake handshake) throws IOException {
    send(LocalSocketFrame.HELLO, handshake.hello());
    if (handshake.expectsChallenge()) {
      HelloChallenge challenge = take(LocalSocketFrame.CHALLENGE, HelloChallenge.parser());
      send(LocalSocketFrame.PROOF, handshake.prove(challenge));
    }
    return handshake.finish(take(LocalSocketFrame.HELLO_REPLY, HelloReply.parser())).epoch();
  }

  void send(RunFileRequest request) throws IOException {
    send(LocalSocketFrame.RUN_FILES, request);
  }

  void send(LocalSocketFrame type, MessageLite message) throws IOException {
    byte[] bytes = message.toByteArray();
    ByteBuffer frame =
        ByteBuffer.allocateDirect(LocalSocketFrame.HEADER_LENGTH + bytes.length)
            .order(ByteOrder.LITTLE_ENDIAN);
    frame.putInt(bytes.length).put((byte) type.wireNumber()).put(bytes);
    assertThat(socket.write(frame, 0, frame.capacity())).isEqualTo(frame.capacity());
  }

  /** Reads the next message. */
  <T> T take(LocalSocketFrame type, Parser<T> parser) throws IOException {
    ByteBuffer header = read(LocalSocketFrame.HEADER_LENGTH);
    int length = header.getInt();
    type.check(length, header.get());
    return parser.parseFrom(read(length));
  }

  private ByteBuffer read(int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
    long deadline = System.nanoTime() + DEADLINE_NANOS;
    for (int read = 0; read < length; ) {
      int now = socket.read(bytes, read, length);
      if (now < 0) {
        throw new EOFException("connection closed by the server");
      }
      read += now;
      assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
    }
    return bytes;
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
