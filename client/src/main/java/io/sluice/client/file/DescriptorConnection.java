package io.sluice.client.file;

import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import io.sluice.proto.RunFileRequest;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * A connection to a server's short circuit: each request is answered by one descriptor, for which
 * its caller waits. Thread-safe; one request at a time.
 *
 * <p>It has no channel and no event loop. A task that ends after seconds opens a few files, and
 * loading the classes of a loop would cost it more than that.
 */
final class DescriptorConnection implements AutoCloseable {
  /** A server that has the file open answers in well under a millisecond. */
  static final long TIMEOUT_MS = 5_000;

  /** Between looks at a socket that does not block. */
  private static final long FIRST_PAUSE_NANOS = 20_000;

  private static final long LONGEST_PAUSE_NANOS = 1_000_000;

  private final Socket socket;
  private final LongSupplier nanoTime;
  private volatile boolean closed;
  private volatile boolean answered;

  private DescriptorConnection(Socket socket, LongSupplier nanoTime) {
    this.socket = socket;
    this.nanoTime = nanoTime;
  }

  /**
   * Connects, without waiting.
   *
   * @throws IOException if nobody listens there, or is busy
   */
  static DescriptorConnection open(String path, LongSupplier nanoTime) throws IOException {
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
      throw new IOException("the server accepts no connection");
    }
    return new DescriptorConnection(socket, nanoTime);
  }

  boolean isOpen() {
    return !closed;
  }

  /** Whether somebody has ever answered. */
  boolean hasAnswered() {
    return answered;
  }

  /**
   * Asks for one file, and waits at most {@link #TIMEOUT_MS}.
   *
   * @return owned by the caller
   * @throws IOException if there is no answer; the connection is closed then, because a later
   *     answer could not be told apart
   */
  synchronized FileDescriptor request(RunFileRequest request) throws IOException {
    if (closed) {
      throw new IOException("connection closed");
    }
    try {
      Patience patience = new Patience();
      send(request.toByteArray(), patience);
      FileDescriptor descriptor = receive(patience);
      answered = true;
      return descriptor;
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private void send(byte[] request, Patience patience) throws IOException {
    ByteBuffer frame =
        ByteBuffer.allocateDirect(Integer.BYTES + request.length).order(ByteOrder.LITTLE_ENDIAN);
    frame.putInt(request.length).put(request);
    int sent = 0;
    while (sent < frame.capacity()) {
      int now = socket.write(frame, sent, frame.capacity());
      if (now == 0) {
        patience.pause();
      }
      sent += now;
    }
  }

  private FileDescriptor receive(Patience patience) throws IOException {
    while (true) {
      int number = socket.recvFd();
      if (number > 0) {
        return new FileDescriptor(number);
      }
      if (number < 0) {
        throw new IOException("connection closed by the server");
      }
      patience.pause();
    }
  }

  /** The waiting of one request. */
  private final class Patience {
    private final long startNanos = nanoTime.getAsLong();
    private long pauseNanos = FIRST_PAUSE_NANOS;

    private void pause() throws IOException {
      if (closed) {
        throw new IOException("connection closed");
      }
      if (nanoTime.getAsLong() - startNanos > TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS)) {
        throw new IOException("no answer for " + TIMEOUT_MS + " ms");
      }
      LockSupport.parkNanos(pauseNanos);
      if (Thread.currentThread().isInterrupted()) {
        throw new InterruptedIOException("interrupted");
      }
      pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
    }
  }

  /** Ends the connection, and a request that waits. Idempotent. */
  @Override
  public void close() {
    closed = true;
    synchronized (this) {
      try {
        socket.close();
      } catch (IOException e) {
        // Nobody can do anything about it, and nothing was left to be sent.
        return;
      }
    }
  }
}
