package io.sluice.benchmark.floor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.zip.CRC32C;

/**
 * A minimal server: receives frames, appends them to files, and sends files with {@code sendfile}.
 * It has no protocol, no checks and no memory limit, so it costs what any server on this machine
 * costs at least. A process of its own, so that its CPU time can be read.
 *
 * <p>{@link #main} prints the port and serves until standard input ends.
 */
final class FloorServer implements AutoCloseable {
  private static final int BACKLOG = 1024;

  /** With frames of 1 MiB, more than the caches of a processor for each connection. */
  private static final int KEPT_FRAMES = 64;

  private static final int COPY_BYTES = 128 << 10;

  private final Path directory;
  private final ServerSocketChannel listener;
  private final Queue<ByteBuffer> keptFrames = new ConcurrentLinkedQueue<>();

  private FloorServer(Path directory, ServerSocketChannel listener) {
    this.directory = directory;
    this.listener = listener;
  }

  /** Argument: directory of the files. */
  public static void main(String[] arguments) throws IOException {
    try (FloorServer server = listen(Path.of(arguments[0]))) {
      System.out.println(server.port());
      while (System.in.read() >= 0) {
        // The parent process sends nothing, and closes the stream or exits.
      }
    }
  }

  /** Listens on a free port of the loopback interface. */
  static FloorServer listen(Path directory) throws IOException {
    ServerSocketChannel listener = ServerSocketChannel.open();
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
    FloorServer server = new FloorServer(directory, listener);
    daemon("floor-accept", server::accept);
    return server;
  }

  int port() throws IOException {
    return ((InetSocketAddress) listener.getLocalAddress()).getPort();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }

  private void accept() {
    try {
      while (true) {
        SocketChannel connection = listener.accept();
        daemon("floor-connection", () -> serve(connection));
      }
    } catch (AsynchronousCloseException closed) {
      // The server has ended.
    } catch (IOException failure) {
      System.err.println("floor: cannot accept connections: " + failure.getMessage());
    }
  }

  private static void daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void serve(SocketChannel connection) {
    try (connection) {
      FloorRequest request = FloorRequest.read(connection);
      switch (request.work()) {
        case RECEIVE, RECEIVE_CRC ->
            receive(
                connection,
                request,
                new ByteBuffer[] {ByteBuffer.allocateDirect(request.frameLength())});
        case KEEP -> keep(connection, request);
        case WRITE -> write(connection, request);
        case SEND -> send(connection, request);
        case SEND_COPY -> sendCopy(connection, request);
      }
    } catch (IOException failure) {
      System.err.println("floor: connection failed: " + failure.getMessage());
    }
  }

  /** Receives into memory that an earlier connection has used, except for the first ones. */
  private void keep(SocketChannel connection, FloorRequest request) throws IOException {
    ByteBuffer[] frames = new ByteBuffer[Math.min(KEPT_FRAMES, request.frames())];
    for (int i = 0; i < frames.length; i++) {
      ByteBuffer used = keptFrames.poll();
      frames[i] =
          used != null && used.capacity() == request.frameLength()
              ? used
              : ByteBuffer.allocateDirect(request.frameLength());
    }
    receive(connection, request, frames);
    keptFrames.addAll(List.of(frames));
  }

  /**
   * @param frames memory for frames, which is used in turn
   */
  private static void receive(SocketChannel connection, FloorRequest request, ByteBuffer[] frames)
      throws IOException {
    boolean isChecked = request.work() != FloorRequest.Work.RECEIVE;
    ByteBuffer ack = ByteBuffer.allocateDirect(1);
    CRC32C crc = new CRC32C();
    for (int i = 0; i < request.frames(); i++) {
      ByteBuffer frame = frames[i % frames.length];
      FloorRequest.readFully(connection, frame.clear());
      if (isChecked) {
        crc.update(frame.flip());
      }
      connection.write(ack.clear());
    }
  }

  private void write(SocketChannel connection, FloorRequest request) throws IOException {
    ByteBuffer frame = ByteBuffer.allocateDirect(request.frameLength());
    ByteBuffer ack = ByteBuffer.allocateDirect(1);
    try (FileChannel file =
        FileChannel.open(
            file(request),
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      for (int i = 0; i < request.frames(); i++) {
        FloorRequest.readFully(connection, frame.clear());
        frame.flip();
        while (frame.hasRemaining()) {
          file.write(frame);
        }
        connection.write(ack.clear());
      }
    }
  }

  /** Sends bytes of a file, and returns their number; at most 0 at the end of the file. */
  private interface Sender {
    long send(FileChannel file, long at, long bytes) throws IOException;
  }

  private void send(SocketChannel connection, FloorRequest request) throws IOException {
    send(connection, request, (file, at, bytes) -> file.transferTo(at, bytes, connection));
  }

  private void sendCopy(SocketChannel connection, FloorRequest request) throws IOException {
    ByteBuffer part = ByteBuffer.allocateDirect(Math.min(COPY_BYTES, request.frameLength()));
    send(
        connection,
        request,
        (file, at, bytes) -> {
          part.clear().limit((int) Math.min(part.capacity(), bytes));
          int read = file.read(part, at);
          part.flip();
          while (part.hasRemaining()) {
            connection.write(part);
          }
          return read;
        });
  }

  private void send(SocketChannel connection, FloorRequest request, Sender sender)
      throws IOException {
    ByteBuffer wanted = ByteBuffer.allocateDirect(1);
    try (FileChannel file = FileChannel.open(file(request), StandardOpenOption.READ)) {
      for (int i = 0; i < request.frames(); i++) {
        FloorRequest.readFully(connection, wanted.clear());
        long at = (long) i * request.frameLength();
        long end = at + request.frameLength();
        while (at < end) {
          long sent = sender.send(file, at, end - at);
          if (sent <= 0) {
            throw new IOException("file ends at " + at + ", wanted up to " + end);
          }
          at += sent;
        }
      }
    }
  }

  private Path file(FloorRequest request) {
    return directory.resolve("floor-" + request.file());
  }
}
