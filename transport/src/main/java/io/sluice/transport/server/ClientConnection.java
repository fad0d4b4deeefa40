package io.sluice.transport.server;

/**
 * The connection of a request, after its handshake.
 *
 * @param application application of the connection
 * @param client name of the client, for logs
 * @param peer remote address, for logs
 * @param copyBytes maximum number of bytes of a reply that are copied at a time; 0 if replies are
 *     sent without a copy
 */
public record ClientConnection(String application, String client, String peer, int copyBytes) {
  /** A connection that sends replies without a copy. */
  public ClientConnection(String application, String client, String peer) {
    this(application, client, peer, 0);
  }
}
