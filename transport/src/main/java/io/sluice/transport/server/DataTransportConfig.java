package io.sluice.transport.server;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSchema;
import io.sluice.common.config.ConfigSet;
import java.util.List;

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

  private static final long LONGEST_TIMEOUT_MS = 3_600_000;

  static final ConfigKey<Integer> MAX_CONNECTIONS =
      ConfigKey.integer("rss.server.connections.max")
          .defaultValue(DEFAULT.maxConnections())
          .atLeast(1)
          .doc(
              "Maximum number of open data connections; a further one gets an error and is"
                  + " closed. Raise it for thousands of executors; each costs a few KiB.")
          .build();

  static final ConfigKey<Integer> MAX_CONNECTIONS_PER_PEER =
      ConfigKey.integer("rss.server.connections.per.peer.max")
          .defaultValue(DEFAULT.maxConnectionsPerPeer())
          .atLeast(1)
          .doc(
              "Maximum number of open data connections from one address; a further one gets an"
                  + " error and is closed. The same limit holds for rss.rpc.server.port, and for one"
                  + " user on rss.server.shortcircuit.socket. Raise it if many executors share an"
                  + " address (NAT).")
          .build();

  static final ConfigKey<Integer> MAX_CONNECTIONS_PER_APPLICATION =
      ConfigKey.integer("rss.server.connections.per.application.max")
          .defaultValue(DEFAULT.maxConnectionsPerApplication())
          .atLeast(1)
          .doc(
              "Maximum number of open data connections of one application; a further one gets an"
                  + " error and is closed. Raise it for single jobs of thousands of executors.")
          .build();

  static final ConfigKey<Long> HELLO_TIMEOUT =
      ConfigKey.durationMs("rss.server.connection.hello.timeout")
          .defaultValue((long) DEFAULT.helloTimeoutMs())
          .atLeast(100L)
          .atMost(LONGEST_TIMEOUT_MS)
          .doc(
              "How long a new connection may take for its handshake; then it is closed. Raise it"
                  + " if busy executors fail to connect.")
          .build();

  static final ConfigKey<Long> STALL_TIMEOUT =
      ConfigKey.durationMs("rss.server.connection.stall.timeout")
          .defaultValue((long) DEFAULT.stallTimeoutMs())
          .atLeast(100L)
          .atMost(LONGEST_TIMEOUT_MS)
          .doc(
              "How long a connection may be silent within a frame, or take no byte of a reply;"
                  + " then it is closed and its memory freed. Waiting for memory of the server does not"
                  + " count. Raise it if garbage collections of executors take longer.")
          .build();

  static final ConfigKey<Long> BODY_TIMEOUT =
      ConfigKey.durationMs("rss.server.connection.body.timeout")
          .defaultValue((long) DEFAULT.bodyTimeoutMs())
          .atLeast(100L)
          .atMost(LONGEST_TIMEOUT_MS)
          .doc(
              "Maximum time from the first to the last byte of a head, a body, or a reply whose"
                  + " turn it is. Then the connection is closed and its memory freed; clients fetch"
                  + " again what they lack. Raise it for clients on slow networks.")
          .build();

  /** The keys that this record is made from. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(
          MAX_CONNECTIONS,
          MAX_CONNECTIONS_PER_PEER,
          MAX_CONNECTIONS_PER_APPLICATION,
          HELLO_TIMEOUT,
          STALL_TIMEOUT,
          BODY_TIMEOUT);

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

  /** Adds the rules that the keys keep: a body may take at least as long as a silence in it. */
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
