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
 * A connection to the Unix domain socket of a server, over which the server passes file descriptors
 * of its run files. The reply to a request is one descriptor, for which the caller waits.
 * Thread-safe; one request at a time.
 *
 * <p>It uses a non-blocking socket without an event loop. A short task opens few files, and loading
 * the classes of an event loop would take longer.
 */
final class DescriptorConnection implements AutoCloseable {
  /** Timeout of a reply. A server replies in less than a millisecond, because the file is open. */
  static final long TIMEOUT_MS = 5_000;

  /** First pause between two polls of the socket; it doubles up to the maximum. */
  private static final long FIRST_PAUSE_NANOS = 20_000;

  private static final long MAX_PAUSE_NANOS = 1_000_000;

  private final Socket socket;
  private final LongSupplier nanoTime;
  private volatile boolean closed;
  private volatile boolean answered;

  private DescriptorConnection(Socket socket, LongSupplier nanoTime) {
    this.socket = socket;
    this.nanoTime = nanoTime;
  }

  /**
   * Connects without waiting.
   *
   * @throws IOException if no server listens at the socket, or its queue is full
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
      throw new IOException("the server accepts no connection at " + path);
    }
    return new DescriptorConnection(socket, nanoTime);
  }

  boolean isOpen() {
    return !closed;
  }

  /** Whether a request on this connection has succeeded. */
  boolean hasAnswered() {
    return answered;
  }

  /**
   * Requests the descriptor of one file, and waits at most {@link #TIMEOUT_MS}.
   *
   * @return owned by the caller
   * @throws IOException if there is no reply; the connection is then closed, because a late reply
   *     could not be matched to its request
   */
  synchronized FileDescriptor request(RunFileRequest request) throws IOException {
    if (closed) {
      throw new IOException("connection closed");
    }
    try {
      ReplyWait wait = new ReplyWait();
      send(request.toByteArray(), wait);
      FileDescriptor descriptor = receive(wait);
      answered = true;
      return descriptor;
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private void send(byte[] request, ReplyWait wait) throws IOException {
    ByteBuffer frame =
        ByteBuffer.allocateDirect(Integer.BYTES + request.length).order(ByteOrder.LITTLE_ENDIAN);
    frame.putInt(request.length).put(request);
    int sent = 0;
    while (sent < frame.capacity()) {
      int now = socket.write(frame, sent, frame.capacity());
      if (now == 0) {
        wait.pause();
      }
      sent += now;
    }
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
