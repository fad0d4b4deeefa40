package io.sluice.transport.protocol;

import io.sluice.proto.HelloReply;

/**
 * State of a server at the end of the handshake.
 *
 * @param epoch epoch of the server process
 * @param wholeSinceEpoch the oldest epoch whose acknowledged data is complete: {@code epoch},
 *     unless the server was stopped cleanly before
 * @param maxBodyLength maximum length of a body that the server accepts, in bytes
 * @param localSocket path of the socket that provides run files to local clients; empty: none
 */
public record HandshakeResult(
    long epoch, long wholeSinceEpoch, int maxBodyLength, String localSocket) {
  /** Before the end of the handshake. */
  public static final HandshakeResult NONE = of(HelloReply.getDefaultInstance());

  static HandshakeResult of(HelloReply reply) {
    // Without this field, data of earlier epochs may be incomplete.
    long wholeSince =
        reply.getWholeSinceEpoch() == 0 ? reply.getEpoch() : reply.getWholeSinceEpoch();
    return new HandshakeResult(
        reply.getEpoch(), wholeSince, reply.getMaxBodyLength(), reply.getLocalSocket());
  }
}
