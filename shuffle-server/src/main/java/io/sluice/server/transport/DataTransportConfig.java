package io.sluice.server.transport;

/**
 * What a server puts up with from its data connections, on either transport.
 *
 * @param helloTimeoutMs from the connection to its whole HELLO
 * @param stallTimeoutMs longest silence in the middle of a frame, and longest time in which a
 *     client that is owed bytes takes none
 * @param bodyTimeoutMs from the first to the last byte of a body: a client that trickles holds
 *     memory no longer than this
 * @param maxConnections at the same time; more are answered BUSY and closed
 * @param maxPendingRequests of one connection; more are not read
 */
public record DataTransportConfig(
    int helloTimeoutMs,
    int stallTimeoutMs,
    int bodyTimeoutMs,
    int maxConnections,
    int maxPendingRequests) {
  public static final DataTransportConfig DEFAULT =
      new DataTransportConfig(30_000, 60_000, 180_000, 10_000, 1_024);

  public DataTransportConfig {
    if (helloTimeoutMs < 1
        || stallTimeoutMs < 1
        || bodyTimeoutMs < stallTimeoutMs
        || maxConnections < 1
        || maxPendingRequests < 1) {
      throw new IllegalArgumentException(
          "data transport: every limit must be at least 1, and bodyTimeoutMs at least"
              + " stallTimeoutMs: helloTimeoutMs="
              + helloTimeoutMs
              + " stallTimeoutMs="
              + stallTimeoutMs
              + " bodyTimeoutMs="
              + bodyTimeoutMs
              + " maxConnections="
              + maxConnections
              + " maxPendingRequests="
              + maxPendingRequests);
    }
  }
}
