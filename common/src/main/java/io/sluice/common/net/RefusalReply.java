package io.sluice.common.net;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The bytes with which a port answers a connection beyond its limits, before it reads any byte. */
public enum RefusalReply {
  /** No bytes: the port uses TLS, and a reply would require a handshake. */
  NONE {
    @Override
    byte[] of(String reason) {
      return new byte[0];
    }
  },
  /** A response with status 503 and the reason as its only line. */
  HTTP {
    @Override
    byte[] of(String reason) {
      String body = reason + "\n";
      return ascii(
          "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nConnection:"
              + " close\r\nContent-Length: "
              + body.length()
              + "\r\n\r\n"
              + body);
    }
  },
  /**
   * The frames SETTINGS, which HTTP/2 requires first, and GOAWAY with ENHANCE_YOUR_CALM. Clients of
   * gRPC return the reason in the status of their calls.
   */
  HTTP2 {
    @Override
    byte[] of(String reason) {
      byte[] debug = ascii(reason);
      int length = 2 * Integer.BYTES + debug.length;
      return ByteBuffer.allocate(2 * FRAME_HEADER_LENGTH + length)
          .put(new byte[] {0, 0, 0, SETTINGS, 0, 0, 0, 0, 0})
          .put(new byte[] {(byte) (length >> 16), (byte) (length >> 8), (byte) length})
          .put(new byte[] {GOAWAY, 0, 0, 0, 0, 0})
          // No stream was or will be handled.
          .putInt(0)
          .putInt(ENHANCE_YOUR_CALM)
          .put(debug)
          .array();
    }
  };

  private static final int FRAME_HEADER_LENGTH = 9;
  private static final byte SETTINGS = 4;
  private static final byte GOAWAY = 7;
  private static final int ENHANCE_YOUR_CALM = 11;

  /** Bytes of the reply. */
  abstract byte[] of(String reason);

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
