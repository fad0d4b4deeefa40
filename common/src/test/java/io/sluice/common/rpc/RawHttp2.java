package io.sluice.common.rpc;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** An HTTP/2 peer without TLS that sends arbitrary frames. Confined to one thread. */
public final class RawHttp2 implements AutoCloseable {
  public static final int DATA = 0;
  public static final int HEADERS = 1;
  public static final int RST_STREAM = 3;
  public static final int SETTINGS = 4;
  public static final int GO_AWAY = 7;
  private static final int WINDOW_UPDATE = 8;
  public static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;
  private static final int ACK = 1;

  private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false);
  private final Socket socket;
  private final OutputStream out;
  private final DataInputStream in;
  private final Map<Integer, Long> credits = new HashMap<>();

  /** A received frame. */
  @SuppressWarnings("ArrayRecordComponent")
  public record Frame(
      int type, int flags, int stream, byte[] payload, Map<String, String> headers) {

    /** Status of the call that ends with this frame; -1: none. */
    public int status() {
      return Integer.parseInt(headers.getOrDefault("grpc-status", "-1"));
    }

    /** Encoded description of the status. */
    public String message() {
      return headers.getOrDefault("grpc-message", "");
    }
  }

  public RawHttp2(int port, int timeoutMs) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(timeoutMs);
    socket.setTcpNoDelay(true);
    out = socket.getOutputStream();
    in = new DataInputStream(socket.getInputStream());
    out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    frame(SETTINGS, 0, 0, new byte[0]);
  }

  /** Sends a frame. */
  public void frame(int type, int flags, int stream, byte[] payload) throws IOException {
    out.write(bytes(type, flags, stream, payload));
  }

  /** Encodes a frame, to be sent by {@link #write}. */
  public static byte[] bytes(int type, int flags, int stream, byte[] payload) {
    return ByteBuffer.allocate(9 + payload.length)
        .put((byte) (payload.length >> 16))
        .putShort((short) payload.length)
        .put((byte) type)
        .put((byte) flags)
        .putInt(stream)
        .put(payload)
        .array();
  }

  public void write(byte[] bytes) throws IOException {
    out.write(bytes);
  }

  /** Sets the initial window of later streams in bytes. */
  public void initialWindow(int bytes) throws IOException {
    frame(SETTINGS, 0, 0, ByteBuffer.allocate(6).putShort((short) 4).putInt(bytes).array());
  }

  /** Starts a gRPC call. */
  public void call(int stream, String method, String... headers) throws IOException {
    frame(HEADERS, END_HEADERS, stream, headers(method, headers));
  }

  /** Encodes the header fields of a call as literals. */
  public static byte[] headers(String method, String... more) throws IOException {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    field(block, ":method", "POST");
    field(block, ":scheme", "http");
    field(block, ":path", "/" + method);
    field(block, ":authority", "localhost");
    field(block, "content-type", "application/grpc");
    field(block, "te", "trailers");
    for (int i = 0; i < more.length; i += 2) {
      field(block, more[i], more[i + 1]);
    }
    return block.toByteArray();
  }

  private static void field(ByteArrayOutputStream block, String name, String value)
      throws IOException {
    block.write(0);
    text(block, name);
    text(block, value);
  }

  private static void text(ByteArrayOutputStream block, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    if (bytes.length < 127) {
      block.write(bytes.length);
    } else {
      block.write(127);
      int left = bytes.length - 127;
      while (left >= 128) {
        block.write(left % 128 + 128);
        left /= 128;
      }
      block.write(left);
    }
    block.write(bytes);
  }

  /** Encodes a gRPC message. */
  public static byte[] message(byte[] bytes) {
    return ByteBuffer.allocate(5 + bytes.length)
        .put((byte) 0)
        .putInt(bytes.length)
        .put(bytes)
        .array();
  }

  /** Prefix of a gRPC message of which more bytes may follow. */
  public static byte[] prefix(int length) {
    return ByteBuffer.allocate(5).put((byte) 0).putInt(length).array();
  }

  /** The next frame except SETTINGS and WINDOW_UPDATE; null at the end of the connection. */
  public Frame next() throws IOException {
    return next(false);
  }

  /**
   * Reads frames until a stream has at least this credit in addition to its initial window.
   *
   * @return the credit that was granted with WINDOW_UPDATE frames
   */
  public long awaitCredit(int stream, long bytes) throws IOException {
    while (credits.getOrDefault(stream, 0L) < bytes) {
      if (next(true) == null) {
        throw new EOFException("connection ended before the credit");
      }
    }
    return credits.get(stream);
  }

  private Frame next(boolean stopAtCredit) throws IOException {
    while (true) {
      int first = in.read();
      if (first < 0) {
        return null;
      }
      int length = first << 16 | in.readUnsignedShort();
      int type = in.readUnsignedByte();
      int flags = in.readUnsignedByte();
      int stream = in.readInt();
      byte[] payload = new byte[length];
      in.readFully(payload);
      if (type == SETTINGS && (flags & ACK) == 0) {
        frame(SETTINGS, ACK, 0, new byte[0]);
      } else if (type == WINDOW_UPDATE) {
        credits.merge(stream, (long) ByteBuffer.wrap(payload).getInt(), Long::sum);
        if (stopAtCredit) {
          return new Frame(type, flags, stream, payload, Map.of());
        }
      } else if (type != SETTINGS) {
        return new Frame(
            type, flags, stream, payload, type == HEADERS ? decode(payload) : Map.of());
      }
    }
  }

  private Map<String, String> decode(byte[] block) throws IOException {
    Map<String, String> fields = new HashMap<>();
    try {
      Http2Headers headers = decoder.decodeHeaders(1, Unpooled.wrappedBuffer(block));
      headers.forEach(field -> fields.put(field.getKey().toString(), field.getValue().toString()));
    } catch (Http2Exception e) {
      throw new IOException(e);
    }
    return fields;
  }

  /** Reads frames until one ends the stream, with headers or by a reset. */
  public Frame end(int stream) throws IOException {
    while (true) {
      Frame frame = next();
      if (frame == null
          || frame.type() == GO_AWAY
          || (frame.stream() == stream
              && (frame.type() == RST_STREAM || (frame.flags() & END_STREAM) != 0))) {
        return frame;
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
