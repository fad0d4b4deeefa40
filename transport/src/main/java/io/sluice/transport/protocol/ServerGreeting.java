package io.sluice.transport.protocol;

import io.sluice.proto.HelloReply;

/**
 * The state of a server as of the end of a handshake.
 *
 * @param epoch of the server process
 * @param wholeSinceEpoch the oldest epoch of which no acknowledged data is missing: {@code epoch},
 *     unless the server was stopped cleanly before
 * @param maxBodyLength length of the largest body that the server accepts, in bytes
 * @param localSocket path where the server hands out its run files on its own host; empty: nowhere
 */
public record ServerGreeting(
    long epoch, long wholeSinceEpoch, int maxBodyLength, String localSocket) {
  /** Before the end of the handshake. */
  public static final ServerGreeting NONE = of(HelloReply.getDefaultInstance());

  static ServerGreeting of(HelloReply reply) {
    // A server that names no such epoch promises nothing of earlier ones.
    long wholeSince =
        reply.getWholeSinceEpoch() == 0 ? reply.getEpoch() : reply.getWholeSinceEpoch();
    return new ServerGreeting(
        reply.getEpoch(), wholeSince, reply.getMaxBodyLength(), reply.getLocalSocket());
  }
}
