package io.sluice.transport.server;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSchema;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.net.PeerConnections;
import java.util.List;

/**
 * Limits of a server's data connections, on both transports.
 *
 * @param helloTimeoutMs timeout of the handshake of a new connection
 * @param stallTimeoutMs timeout without a received byte within a frame, or without a sent byte of a
 *     reply
 * @param bodyTimeoutMs timeout from the first to the last byte of a head, a body, or the reply
 *     being sent; limits how long a slow client can occupy memory
 * @param maxConnections maximum number of open connections; others receive BUSY and are closed
 * @param maxPendingRequests maximum number of pending requests of one connection; others are not
 *     read
 * @param maxConnectionsPerPeer maximum number of open connections from one address; others receive
 *     BUSY and are closed
 * @param maxConnectionsPerApplication maximum number of open connections of one application; others
 *     receive BUSY after the handshake and are closed
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

  private static final long LONGEST_TIMEOUT_MS = 3_600_000;

  public static final ConfigKey<Integer> MAX_CONNECTIONS =
      ConfigKey.integer("rss.server.connections.max")
          .defaultValue(DEFAULT.maxConnections())
          .atLeast(1)
          .doc(
              "Maximum number of open data connections; additional connections get an error and"
                  + " are closed. Raise it for thousands of executors; each connection costs a few"
                  + " KiB.")
          .build();

  public static final ConfigKey<Integer> MAX_CONNECTIONS_PER_PEER =
      ConfigKey.integer("rss.server.connections.per.peer.max")
          .defaultValue(DEFAULT.maxConnectionsPerPeer())
          .atLeast(1)
          .doc(
              "Maximum number of open data connections from one client address; the"
                  + " addresses of one IPv6 /64 network count as one. Additional connections get an"
                  + " error and are closed. Also limits connections per address to"
                  + " rss.rpc.server.port, and per user to rss.server.shortcircuit.socket. Raise"
                  + " it if many executors share an address (NAT) or an IPv6 /64 network.")
          .build();

  public static final ConfigKey<Integer> MAX_CONNECTIONS_PER_APPLICATION =
      ConfigKey.integer("rss.server.connections.per.application.max")
          .defaultValue(DEFAULT.maxConnectionsPerApplication())
          .atLeast(1)
          .doc(
              "Maximum number of open data connections of one application; additional connections"
                  + " get an error and are closed. Raise it for single jobs with thousands of"
                  + " executors.")
          .build();

  static final ConfigKey<Long> HELLO_TIMEOUT =
      ConfigKey.durationMs("rss.server.connection.hello.timeout")
          .defaultValue((long) DEFAULT.helloTimeoutMs())
          .atLeast(100L)
          .atMost(LONGEST_TIMEOUT_MS)
          .doc(
              "Timeout of the handshake of a new data connection; after it, the connection is"
                  + " closed. Raise it if busy executors fail to connect.")
          .build();

  static final ConfigKey<Long> STALL_TIMEOUT =
      ConfigKey.durationMs("rss.server.connection.stall.timeout")
          .defaultValue((long) DEFAULT.stallTimeoutMs())
          .atLeast(100L)
          .atMost(LONGEST_TIMEOUT_MS)
          .doc(
              "Timeout of a data connection on which no byte of an incomplete frame arrives, or no"
                  + " byte of a reply can be sent; after it, the connection is closed and its"
                  + " memory freed. Time in which the server itself waits for memory does not"
                  + " count. Raise it if garbage collections of executors take longer.")
          .build();

  static final ConfigKey<Long> BODY_TIMEOUT =
      ConfigKey.durationMs("rss.server.connection.body.timeout")
          .defaultValue((long) DEFAULT.bodyTimeoutMs())
          .atLeast(100L)
          .atMost(LONGEST_TIMEOUT_MS)
          .doc(
              "Timeout from the first to the last byte of a frame's head or body, or of the reply"
                  + " being sent; after it, the connection is closed and its memory freed, and"
                  + " clients retry. Raise it for clients on slow networks.")
          .build();

  /** Counts the connections of a port that has the limits in total and for one address. */
  public PeerConnections connectionsOfPort() {
    return new PeerConnections(
        maxConnections,
        maxConnectionsPerPeer,
        MAX_CONNECTIONS.name(),
        MAX_CONNECTIONS_PER_PEER.name());
  }

  /** Keys of this record. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(
          MAX_CONNECTIONS,
          MAX_CONNECTIONS_PER_PEER,
          MAX_CONNECTIONS_PER_APPLICATION,
          HELLO_TIMEOUT,
          STALL_TIMEOUT,
          BODY_TIMEOUT);

  /** Without limits per peer and per application. */
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

  /** Adds the rules of these keys: the stall timeout is at most the body timeout. */
  public static ConfigSchema.Builder rules(ConfigSchema.Builder schema) {
    return schema.atMost(STALL_TIMEOUT, BODY_TIMEOUT);
  }

  public static DataTransportConfig from(ConfigSet set) {
    return new DataTransportConfig(
        set.get(HELLO_TIMEOUT).intValue(),
        set.get(STALL_TIMEOUT).intValue(),
        set.get(BODY_TIMEOUT).intValue(),
        set.get(MAX_CONNECTIONS),
        DEFAULT.maxPendingRequests,
        set.get(MAX_CONNECTIONS_PER_PEER),
        set.get(MAX_CONNECTIONS_PER_APPLICATION));
  }
}
