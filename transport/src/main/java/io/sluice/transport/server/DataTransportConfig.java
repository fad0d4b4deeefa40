package io.sluice.transport.server;

/**
 * What a server puts up with from its data connections, on either transport.
 *
 * @param helloTimeoutMs from the connection to its whole HELLO
 * @param stallTimeoutMs longest silence in the middle of a frame, and longest time in which a
 *     client that is owed bytes takes none
 * @param bodyTimeoutMs from the first to the last byte of a head, a body, or a reply whose turn it
 *     is: a client that trickles holds memory no longer than this
 * @param maxConnections at the same time; more are answered BUSY and closed
 * @param maxPendingRequests of one connection; more are not read
 * @param maxConnectionsPerPeer at the same time from one address; more are treated like too many
 * @param maxConnectionsPerApplication at the same time; more are answered BUSY and closed once they
 *     have said and proved whose they are
 */
public record DataTransportConfig(
    int helloTimeoutMs,
    int stallTimeoutMs,
    int bodyTimeoutMs,
    int maxConnections,
    int maxPendingRequests,
    int maxConnectionsPerPeer,
    int maxConnectionsPerApplication) {
  public static final DataTransportConfig DEFAULT =
      new DataTransportConfig(30_000, 60_000, 180_000, 10_000, 1_024, 2_500, 5_000);

  /** Without limits of one peer and one application. */
  public DataTransportConfig(
      int helloTimeoutMs,
      int stallTimeoutMs,
      int bodyTimeoutMs,
      int maxConnections,
      int maxPendingRequests) {
    this(
        helloTimeoutMs,
        stallTimeoutMs,
        bodyTimeoutMs,
        maxConnections,
        maxPendingRequests,
        maxConnections,
        maxConnections);
  }

  public DataTransportConfig {
    if (helloTimeoutMs < 1
        || stallTimeoutMs < 1
        || bodyTimeoutMs < stallTimeoutMs
        || maxConnections < 1
        || maxPendingRequests < 1
        || maxConnectionsPerPeer < 1
        || maxConnectionsPerApplication < 1) {
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
              + maxPendingRequests
              + " maxConnectionsPerPeer="
              + maxConnectionsPerPeer
              + " maxConnectionsPerApplication="
              + maxConnectionsPerApplication);
    }
  }
}
