package io.sluice.it.hostile;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A raw HTTP/2 connection that can violate the protocol. It respects flow control, because a server
 * would otherwise close the connection. One thread sends; an internal thread receives.
 */
final class Http2Peer implements AutoCloseable {
  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int RST_STREAM = 3;
  static final int SETTINGS = 4;
  static final int PING = 6;
  static final int GOAWAY = 7;
  static final int WINDOW_UPDATE = 8;
  static final int CONTINUATION = 9;

  static final int END_STREAM = 1;
  static final int ACK = 1;
  static final int END_HEADERS = 4;

  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  private static final int FRAME_HEADER_LENGTH = 9;
  private static final int MOST_FRAME_BYTES = 1 << 20;
  private static final int DATA_LENGTH = 16 << 10;
  private static final int INITIAL_WINDOW_SIZE = 4;
  private static final int FIRST_WINDOW = 65_535;

  /** Time without a window update after which the stream counts as paused by the server. */
  private static final long ROOM_SECONDS = 5;

  private final Socket socket;
  private final OutputStream out;
  private final Thread receiver = new Thread(this::receive, "http2-peer");

  // Guarded by this.
  private final Map<Integer, Integer> rooms = new HashMap<>();
  private int initialRoom = FIRST_WINDOW;
  private int room = FIRST_WINDOW;
  private int nextStream = 1;
  private int ended;
  private boolean closed;

  /**
   * Opens the connection.
   *
   * @param socket takes
   */
  Http2Peer(Socket socket) throws IOException {
    this.socket = socket;
    this.out = socket.getOutputStream();
    out.write(PREFACE.getBytes(StandardCharsets.US_ASCII));
    frame(SETTINGS, 0, 0, new byte[0]);
    out.flush();
    receiver.setDaemon(true);
    receiver.start();
  }

  /** Sends an arbitrary frame. */
  void frame(int type, int flags, int stream, byte[] payload) throws IOException {
    ByteBuffer frame = ByteBuffer.allocate(FRAME_HEADER_LENGTH + payload.length);
    frame.putShort((short) (payload.length >> 8)).put((byte) payload.length);
    frame.put((byte) type).put((byte) flags).putInt(stream).put(payload);
    synchronized (out) {
      out.write(frame.array());
    }
  }

  /** Id of a new stream. */
  synchronized int newStream() {
    int stream = nextStream;
    nextStream += 2;
    rooms.put(stream, initialRoom);
    return stream;
  }

  /**
   * Begins a gRPC call.
   *
   * @param path such as {@code /sluice.v1.Admin/Call}
   * @return its stream
   */
  int call(String path) throws IOException {
    int stream = newStream();
    frame(HEADERS, END_HEADERS, stream, headers(path));
    return stream;
  }

  /**
   * Begins a gRPC call.
   *
   * @param more headers, encoded
   */
  int call(String path, byte[] more) throws IOException {
    int stream = newStream();
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    block.writeBytes(headers(path));
    block.writeBytes(more);
    frame(HEADERS, END_HEADERS, stream, block.toByteArray());
    return stream;
  }

  /** Headers of a gRPC call. */
  static byte[] headers(String path) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    header(block, ":method", "POST");
    header(block, ":scheme", "http");
    header(block, ":path", path);
    header(block, ":authority", "localhost");
    header(block, "content-type", "application/grpc");
    header(block, "te", "trailers");
    return block.toByteArray();
  }

  /** Adds a header to a block: HPACK, literal, not indexed. */
  static void header(ByteArrayOutputStream block, String name, String value) {
    block.write(0);
    text(block, name);
    text(block, value);
  }

  private static void text(ByteArrayOutputStream block, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    int left = bytes.length;
    if (left < 127) {
      block.write(left);
    } else {
      block.write(127);
      for (left -= 127; left >= 128; left /= 128) {
        block.write(left % 128 + 128);
      }
      block.write(left);
    }
    block.writeBytes(bytes);
  }

  /** Prefix of a gRPC message with its length. */
  static byte[] messagePrefix(int length) {
    return ByteBuffer.allocate(5).put((byte) 0).putInt(length).array();
  }

  /**
   * Sends data on a stream while the server permits it.
   *
   * @return bytes sent
   */
  int data(int stream, byte[] bytes) throws IOException, InterruptedException {
    int sent = 0;
    while (sent < bytes.length) {
      int part = takeRoom(stream, Math.min(DATA_LENGTH, bytes.length - sent));
      if (part == 0) {
        break;
      }
      byte[] payload = new byte[part];
      System.arraycopy(bytes, sent, payload, 0, part);
      frame(DATA, 0, stream, payload);
      sent += part;
    }
    flush();
    return sent;
  }

  void flush() throws IOException {
    synchronized (out) {
      out.flush();
    }
  }

  /** Bytes that may be sent, at most {@code wanted}; 0 if the stream is closed or paused. */
  private synchronized int takeRoom(int stream, int wanted) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(ROOM_SECONDS);
    while (!closed && rooms.containsKey(stream)) {
      int part = Math.min(wanted, Math.min(room, rooms.get(stream)));
      if (part > 0) {
        room -= part;
        rooms.merge(stream, -part, Integer::sum);
        return part;
      }
      long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (leftMs <= 0) {
        return 0;
      }
      wait(leftMs);
    }
    return 0;
  }

  private void receive() {
    try {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      while (true) {
        int length = in.readUnsignedShort() << 8 | in.readUnsignedByte();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        int stream = in.readInt() & Integer.MAX_VALUE;
        if (length > MOST_FRAME_BYTES) {
          throw new IOException("the server sent an invalid frame of " + length + " bytes");
        }
        byte[] payload = new byte[length];
        in.readFully(payload);
        received(type, flags, stream, ByteBuffer.wrap(payload));
      }
    } catch (IOException | RuntimeException gone) {
      synchronized (this) {
        closed = true;
        notifyAll();
      }
    }
  }

  private void received(int type, int flags, int stream, ByteBuffer payload) throws IOException {
    if (type == SETTINGS && (flags & ACK) == 0) {
      settings(payload);
      frame(SETTINGS, ACK, 0, new byte[0]);
      flush();
    } else if (type == PING && (flags & ACK) == 0) {
      byte[] answer = new byte[payload.remaining()];
      payload.get(answer);
      frame(PING, ACK, 0, answer);
      flush();
    }
    synchronized (this) {
      if (type == WINDOW_UPDATE && stream == 0) {
        room += payload.getInt();
      } else if (type == WINDOW_UPDATE) {
        int more = payload.getInt();
        rooms.computeIfPresent(stream, (number, had) -> had + more);
      } else if (type == RST_STREAM
          || ((type == DATA || type == HEADERS) && (flags & END_STREAM) != 0)) {
        ended += rooms.remove(stream) == null ? 0 : 1;
      } else if (type == GOAWAY) {
        closed = true;
      }
      notifyAll();
    }
  }

  private synchronized void settings(ByteBuffer payload) {
    while (payload.remaining() >= 6) {
      int key = payload.getShort();
      int value = payload.getInt();
      if (key == INITIAL_WINDOW_SIZE) {
        int more = value - initialRoom;
        rooms.replaceAll((stream, had) -> had + more);
        initialRoom = value;
      }
    }
  }

  /** Streams that the server has closed. */
  synchronized int endedStreams() {
    return ended;
  }

  /** Whether the server has closed the connection or announced it. */
  synchronized boolean isClosed() {
    return closed;
  }

  /**
   * Waits until the server has closed the connection.
   *
   * @throws AssertionError if it is still open after the time limit
   */
  synchronized void awaitClosed() throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Bounds.WAIT_SECONDS);
    while (!closed) {
      long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (leftMs <= 0) {
        throw new AssertionError("the server has not closed the HTTP/2 connection in time");
      }
      wait(leftMs);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
