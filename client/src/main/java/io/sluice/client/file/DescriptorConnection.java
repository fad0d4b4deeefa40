package io.sluice.client.file;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Error;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloReply;
import io.sluice.proto.RunFileRequest;
import io.sluice.transport.protocol.ClientHandshake;
import io.sluice.transport.protocol.LocalSocketFrame;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * A connection to the Unix domain socket of a server, over which the server passes file descriptors
 * of its run files. It begins with the handshake of data connections. The reply to a request is one
 * descriptor, for which the caller waits. Thread-safe; one request at a time.
 *
 * <p>It uses a non-blocking socket without an event loop. A short task opens few files, and loading
 * the classes of an event loop would take longer.
 */
final class DescriptorConnection implements AutoCloseable {
  /**
   * Timeout of a reply, with the handshake if it is the first. A server replies in less than a
   * millisecond, because the file is open.
   */
  static final long TIMEOUT_MS = 5_000;

  /** First pause between two polls of the socket; it doubles up to the maximum. */
  private static final long FIRST_PAUSE_NANOS = 20_000;

  private static final long MAX_PAUSE_NANOS = 1_000_000;

  private final Socket socket;
  private final ClientHandshake handshake;
  private final LongSupplier nanoTime;
  private volatile boolean closed;
  private volatile boolean greeted;

  // Guarded by this.
  private long epoch;

  private DescriptorConnection(Socket socket, ClientHandshake handshake, LongSupplier nanoTime) {
    this.socket = socket;
    this.handshake = handshake;
    this.nanoTime = nanoTime;
  }

  /**
   * Connects without waiting. The first request begins with the handshake.
   *
   * @throws IOException if no server listens at the socket, or its queue is full
   */
  static DescriptorConnection open(String path, ClientHandshake handshake, LongSupplier nanoTime)
      throws IOException {
    Socket socket = Socket.newSocketDomain();
    boolean connected = false;
    try {
      connected = socket.connect(new DomainSocketAddress(path));
    } finally {
      if (!connected) {
        socket.close();
      }
    }
    if (!connected) {
      throw new IOException("the server accepts no connection at " + path);
    }
    return new DescriptorConnection(socket, handshake, nanoTime);
  }

  boolean isOpen() {
    return !closed;
  }

  /** Whether the handshake has succeeded. */
  boolean isGreeted() {
    return greeted;
  }

  /**
   * Requests the descriptor of one file, and waits at most {@link #TIMEOUT_MS}.
   *
   * @return owned by the caller
   * @throws IOException if the handshake fails or there is no reply; the connection is then closed,
   *     because a late reply could not be matched to its request
   * @throws OtherServerException if the server has another epoch than the request; the connection
   *     remains open
   */
  synchronized FileDescriptor request(RunFileRequest request) throws IOException {
    if (closed) {
      throw new IOException("connection closed");
    }
    try {
      ReplyWait wait = new ReplyWait();
      if (!greeted) {
        greet(wait);
      }
      if (epoch == request.getEpoch()) {
        send(LocalSocketFrame.RUN_FILES, request, wait);
        return receive(wait);
      }
      checkNotEnded();
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
    throw new OtherServerException(
        "the socket belongs to another server, or the server was restarted: epoch="
            + epoch
            + " expectedEpoch="
            + request.getEpoch());
  }

  /** The socket belongs to another server or epoch than that of the requested file. */
  static final class OtherServerException extends IOException {
    private static final long serialVersionUID = 1L;

    OtherServerException(String message) {
      super(message);
    }
  }

  /** A connection to an earlier process of the server has ended, which only a read reports. */
  private void checkNotEnded() throws IOException {
    if (socket.read(direct(1), 0, 1) != 0) {
      throw new IOException("connection closed by the server");
    }
  }

  private void greet(ReplyWait wait) throws IOException {
    try {
      send(LocalSocketFrame.HELLO, handshake.hello(), wait);
    } catch (IOException e) {
      throw refusal(wait, e);
    }
    if (handshake.expectsChallenge()) {
      HelloChallenge challenge = receive(LocalSocketFrame.CHALLENGE, HelloChallenge.parser(), wait);
      send(LocalSocketFrame.PROOF, handshake.prove(challenge), wait);
    }
    epoch =
        handshake.finish(receive(LocalSocketFrame.HELLO_REPLY, HelloReply.parser(), wait)).epoch();
    greeted = true;
  }

  /** The reason that a server sent before it closed the connection without reading HELLO. */
  private IOException refusal(ReplyWait wait, IOException unsent) {
    try {
      receive(LocalSocketFrame.HELLO_REPLY, HelloReply.parser(), wait);
    } catch (SluiceException refused) {
      refused.addSuppressed(unsent);
      return refused;
    } catch (IOException noReason) {
      unsent.addSuppressed(noReason);
    }
    return unsent;
  }

  private void send(LocalSocketFrame type, MessageLite message, ReplyWait wait) throws IOException {
    byte[] bytes = message.toByteArray();
    ByteBuffer frame = direct(LocalSocketFrame.HEADER_LENGTH + bytes.length);
    frame.putInt(bytes.length).put((byte) type.wireNumber()).put(bytes);
    int sent = 0;
    while (sent < frame.capacity()) {
      int now = socket.write(frame, sent, frame.capacity());
      if (now == 0) {
        wait.pause();
      }
      sent += now;
    }
  }

  private <T> T receive(LocalSocketFrame type, Parser<T> parser, ReplyWait wait)
      throws IOException {
    ByteBuffer header = receive(LocalSocketFrame.HEADER_LENGTH, wait);
    int length = header.getInt();
    int found = header.get() & 0xff;
    if (found == LocalSocketFrame.ERROR.wireNumber()) {
      LocalSocketFrame.ERROR.check(length, found);
      Error error = Error.parser().parseFrom(receive(length, wait));
      throw new SluiceException(StatusCode.of(error.getStatus()), error.getMessage());
    }
    type.check(length, found);
    return parser.parseFrom(receive(length, wait));
  }

  private ByteBuffer receive(int length, ReplyWait wait) throws IOException {
    ByteBuffer bytes = direct(length);
    int received = 0;
    while (received < length) {
      int now = socket.read(bytes, received, length);
      if (now < 0) {
        throw new IOException("connection closed by the server during the handshake");
      }
      if (now == 0) {
        wait.pause();
      }
      received += now;
    }
    return bytes;
  }

  private static ByteBuffer direct(int length) {
    return ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
  }

  private FileDescriptor receive(ReplyWait wait) throws IOException {
    while (true) {
      int number = socket.recvFd();
      if (number > 0) {
        return new FileDescriptor(number);
      }
      if (number < 0) {
        throw new IOException("connection closed by the server");
      }
      wait.pause();
    }
  }

  /** Polls the socket for one request, with growing pauses and a timeout. */
  private final class ReplyWait {
    private final long startNanos = nanoTime.getAsLong();
    private long pauseNanos = FIRST_PAUSE_NANOS;

    private void pause() throws IOException {
      if (closed) {
        throw new IOException("connection closed");
      }
      if (nanoTime.getAsLong() - startNanos > TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS)) {
        throw new IOException("no reply within " + TIMEOUT_MS + " ms");
      }
      LockSupport.parkNanos(pauseNanos);
      if (Thread.currentThread().isInterrupted()) {
        throw new InterruptedIOException("interrupted");
      }
      pauseNanos = Math.min(2 * pauseNanos, MAX_PAUSE_NANOS);
    }
  }

  /** Closes the connection; a waiting request fails. Idempotent. */
  @Override
  public void close() {
    closed = true;
    synchronized (this) {
      try {
        socket.close();
      } catch (IOException e) {
        // Ignored: no data is pending.
        return;
      }
    }
  }
}
