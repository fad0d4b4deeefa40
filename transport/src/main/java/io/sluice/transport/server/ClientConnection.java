package io.sluice.transport.server;

/**
 * The connection that a request came over, after its HELLO.
 *
 * @param application the application that the connection works for
 * @param client who calls, for logs
 * @param peer remote address, for logs
 * @param copyBytes maximum number of bytes of a reply that are copied on their way out at a time; 0
 *     where bytes are sent as they lie
 */
public record ClientConnection(String application, String client, String peer, int copyBytes) {
  /** A connection that sends bytes as they lie. */
  public ClientConnection(String application, String client, String peer) {
    this(application, client, peer, 0);
  }
}
