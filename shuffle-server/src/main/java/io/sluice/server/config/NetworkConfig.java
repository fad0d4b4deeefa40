package io.sluice.server.config;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.net.IoMode;
import io.sluice.transport.server.DataTransportConfig;
import java.util.List;
import java.util.Optional;

/**
 * How the server is reached.
 *
 * @param nettyPort of the framed transport; empty when the server does not run it
 * @param ioMode how the framed transport waits for its sockets, where the machine has it
 * @param backlog connections that the kernel holds until they are accepted
 * @param loops threads of the framed transport
 * @param rpcThreads most threads for gRPC calls
 * @param maxBodyBytes largest body of a frame
 * @param connections what the server puts up with from data connections, on either transport
 */
public record NetworkConfig(
    HostAddress address,
    int rpcPort,
    Optional<Integer> nettyPort,
    HttpPortConfig http,
    IoMode ioMode,
    int backlog,
    int loops,
    int rpcThreads,
    int maxBodyBytes,
    DataTransportConfig connections) {
  private static final long LARGEST_BODY_BYTES = 64L << 20;

  /** Frames of this size every server takes: the largest that clients make. */
  private static final long LEAST_BODY_BYTES = 4L << 20;

  private static final long LONGEST_TIMEOUT_MS = 3_600_000;

  /** gRPC calls do not block for long: more threads than these per core only cost memory. */
  private static final int USEFUL_RPC_THREADS_PER_CORE = 4;

  private static final int LEAST_RPC_THREADS = 8;

  /** The transports that a server runs for data. */
  public enum ServerType {
    /** Over gRPC streams only. */
    GRPC,
    /** Framed TCP on a port of its own, and gRPC streams. */
    GRPC_NETTY
  }

  static final ConfigKey<String> HOST =
      ConfigKey.string("rss.server.host")
          .defaultText("every interface; announced is RSS_IP or the machine's first address")
          .doc(
              "Host name or address to listen on and to announce. Without it the server listens on"
                  + " every interface and announces the address in the environment variable RSS_IP"
                  + " or, without that, the machine's first address that is not loopback.")
          .build();

  static final ConfigKey<ServerType> SERVER_TYPE =
      ConfigKey.enumeration("rss.rpc.server.type", ServerType.class)
          .defaultValue(ServerType.GRPC_NETTY)
          .doc(
              "Transports for data: GRPC_NETTY is framed TCP on rss.server.netty.port besides gRPC"
                  + " on rss.rpc.server.port; GRPC is the latter alone.")
          .build();

  static final ConfigKey<Integer> RPC_PORT =
      ConfigKey.integer("rss.rpc.server.port")
          .defaultValue(19999)
          .atLeast(0)
          .atMost(65535)
          .doc("Port of control calls and of the gRPC transport; 0: any free one.")
          .build();

  static final ConfigKey<Integer> NETTY_PORT =
      ConfigKey.integer("rss.server.netty.port")
          .defaultValue(17000)
          .atLeast(0)
          .atMost(65535)
          .doc("Port of the framed transport; 0: any free one.")
          .build();

  static final ConfigKey<Integer> HTTP_PORT =
      ConfigKey.integer("rss.jetty.http.port")
          .defaultValue(19998)
          .atLeast(0)
          .atMost(65535)
          .doc("Port of /metrics, /healthz and /readyz; 0: any free one.")
          .build();

  static final ConfigKey<Boolean> HTTP_TLS =
      ConfigKey.bool("rss.jetty.ssl.enable")
          .defaultValue(false)
          .check(enabled -> !enabled, "false; rss.security.tls.enabled encrypts every port")
          .doc("Only there to be refused: rss.security.tls.enabled encrypts every port.")
          .build();

  static final ConfigKey<IoMode> IO_MODE =
      ConfigKey.enumeration("rss.server.netty.io.mode", IoMode.class)
          .defaultText("EPOLL, or NIO if rss.server.netty.epoll.enable is false")
          .doc(
              "How the framed transport waits for its sockets. Where the kernel lacks it, the next"
                  + " one of IO_URING, EPOLL, NIO is used, with one line in the log.")
          .build();

  static final ConfigKey<Boolean> EPOLL =
      ConfigKey.bool("rss.server.netty.epoll.enable")
          .defaultValue(true)
          .doc("EPOLL if true and NIO if false, unless rss.server.netty.io.mode says which.")
          .build();

  static final ConfigKey<Integer> BACKLOG =
      ConfigKey.integer("rss.server.netty.connect.backlog")
          .defaultValue(1024)
          .atLeast(1)
          .atMost(65535)
          .doc("Connections that the kernel holds until the framed transport accepts them.")
          .build();

  static final ConfigKey<Integer> LOOPS =
      ConfigKey.integer("rss.server.netty.worker.thread")
          .defaultValue(0)
          .atLeast(0)
          .atMost(1024)
          .doc("Threads of the framed transport; 0: one per core, at least two.")
          .build();

  static final ConfigKey<Integer> RPC_THREADS =
      ConfigKey.integer("rss.rpc.executor.size")
          .defaultValue(1000)
          .atLeast(1)
          .doc(
              "Most threads for gRPC calls. Calls do not wait for one another in threads, so the"
                  + " server starts no more than four per core, and at least eight, of them.")
          .build();

  static final ConfigKey<Long> MESSAGE_MAX_SIZE =
      ConfigKey.dataSize("rss.rpc.message.max.size")
          .defaultValue(LARGEST_BODY_BYTES)
          .atLeast(LEAST_BODY_BYTES)
          .doc(
              "Largest body of one pushed frame or one fetch. The server takes no more than 64MiB,"
                  + " and, beyond the 4MiB that every client may send, no more than an eighth of"
                  + " rss.server.buffer.capacity, whatever is set here; clients are told when they"
                  + " connect.")
          .build();

  static final ConfigKey<Integer> MAX_CONNECTIONS =
      ConfigKey.integer("rss.server.connections.max")
          .defaultValue(DataTransportConfig.DEFAULT.maxConnections())
          .atLeast(1)
          .doc("Most open data connections; a further one is told so and closed.")
          .build();

  static final ConfigKey<Integer> MAX_CONNECTIONS_PER_PEER =
      ConfigKey.integer("rss.server.connections.per.peer.max")
          .defaultValue(DataTransportConfig.DEFAULT.maxConnectionsPerPeer())
          .atLeast(1)
          .doc(
              "Most open data connections from one address; a further one is told so and closed. On"
                  + " rss.rpc.server.port as many connections again, of which a further one is closed,"
                  + " and on rss.server.shortcircuit.socket as many from one operating-system user.")
          .build();

  static final ConfigKey<Integer> MAX_CONNECTIONS_PER_APPLICATION =
      ConfigKey.integer("rss.server.connections.per.application.max")
          .defaultValue(DataTransportConfig.DEFAULT.maxConnectionsPerApplication())
          .atLeast(1)
          .doc(
              "Most open data connections of one application; a further one is told so and closed.")
          .build();

  static final ConfigKey<Integer> MAX_HTTP_CONNECTIONS =
      ConfigKey.integer("rss.server.http.connections.max")
          .defaultValue(256)
          .atLeast(1)
          .doc("Most open connections to rss.jetty.http.port; a further one is closed.")
          .build();

  static final ConfigKey<Integer> MAX_HTTP_CONNECTIONS_PER_PEER =
      ConfigKey.integer("rss.server.http.connections.per.peer.max")
          .defaultValue(64)
          .atLeast(1)
          .doc(
              "Most of them from one address. Behind a reverse proxy all have its address: then as"
                  + " many as in all.")
          .build();

  static final ConfigKey<Integer> MAX_PENDING_REQUESTS =
      ConfigKey.integer("rss.server.connection.requests.max")
          .defaultValue(DataTransportConfig.DEFAULT.maxPendingRequests())
          .atLeast(1)
          .doc("Most requests of one connection that wait for their replies; more are not read.")
          .build();

  static final ConfigKey<Long> HELLO_TIMEOUT =
      ConfigKey.durationMs("rss.server.connection.hello.timeout")
          .defaultValue((long) DataTransportConfig.DEFAULT.helloTimeoutMs())
          .atLeast(100L)
          .atMost(LONGEST_TIMEOUT_MS)
          .doc("A connection that has not introduced itself after so long is closed.")
          .build();

  static final ConfigKey<Long> STALL_TIMEOUT =
      ConfigKey.durationMs("rss.server.connection.stall.timeout")
          .defaultValue((long) DataTransportConfig.DEFAULT.stallTimeoutMs())
          .atLeast(100L)
          .atMost(LONGEST_TIMEOUT_MS)
          .doc(
              "A connection that is silent in the middle of a frame for so long, or takes none of"
                  + " the bytes that it asked for, is closed and its memory freed. Waiting for"
                  + " memory of the server does not count.")
          .build();

  static final ConfigKey<Long> BODY_TIMEOUT =
      ConfigKey.durationMs("rss.server.connection.body.timeout")
          .defaultValue((long) DataTransportConfig.DEFAULT.bodyTimeoutMs())
          .atLeast(100L)
          .atMost(LONGEST_TIMEOUT_MS)
          .doc(
              "Maximum time from the first to the last byte of a head, of a body, and of a reply"
                  + " once the replies before it have left. Beyond it the connection is closed and"
                  + " its memory freed; clients fetch again what they have not received.")
          .build();

  /** The keys that this record is made from. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(
          HOST,
          SERVER_TYPE,
          RPC_PORT,
          NETTY_PORT,
          HTTP_PORT,
          HTTP_TLS,
          IO_MODE,
          EPOLL,
          BACKLOG,
          LOOPS,
          RPC_THREADS,
          MESSAGE_MAX_SIZE,
          MAX_CONNECTIONS,
          MAX_CONNECTIONS_PER_PEER,
          MAX_CONNECTIONS_PER_APPLICATION,
          MAX_HTTP_CONNECTIONS,
          MAX_HTTP_CONNECTIONS_PER_PEER,
          MAX_PENDING_REQUESTS,
          HELLO_TIMEOUT,
          STALL_TIMEOUT,
          BODY_TIMEOUT);

  /** A body may take at least as long as a silence in it. */
  public static Optional<String> checkTimeouts(ConfigSet set) {
    return set.get(STALL_TIMEOUT) <= set.get(BODY_TIMEOUT)
        ? Optional.empty()
        : Optional.of(
            BODY_TIMEOUT.name()
                + " ("
                + BODY_TIMEOUT.print(set.get(BODY_TIMEOUT))
                + ") must not be less than "
                + STALL_TIMEOUT.name()
                + " ("
                + STALL_TIMEOUT.print(set.get(STALL_TIMEOUT))
                + ")");
  }

  /**
   * Two ports that are said are different.
   *
   * @return the problem, if there is one
   */
  public static Optional<String> checkPorts(ConfigSet set) {
    boolean netty = set.get(SERVER_TYPE) == ServerType.GRPC_NETTY;
    List<ConfigKey<Integer>> ports =
        netty ? List.of(RPC_PORT, NETTY_PORT, HTTP_PORT) : List.of(RPC_PORT, HTTP_PORT);
    for (int i = 0; i < ports.size(); i++) {
      for (int j = i + 1; j < ports.size(); j++) {
        int port = set.get(ports.get(i));
        if (port != 0 && port == set.get(ports.get(j))) {
          return Optional.of(
              ports.get(i).name()
                  + " and "
                  + ports.get(j).name()
                  + " are both "
                  + port
                  + "; give each a port of its own");
        }
      }
    }
    return Optional.empty();
  }

  /**
   * @param rssIp value of the environment variable {@code RSS_IP}, or null
   * @param bufferBytes memory for blocks, of which one body may take an eighth, or what every
   *     client may send
   * @param cores of the machine
   */
  public static NetworkConfig from(ConfigSet set, String rssIp, long bufferBytes, int cores) {
    IoMode mode = set.find(IO_MODE).orElseGet(() -> set.get(EPOLL) ? IoMode.EPOLL : IoMode.NIO);
    long maxBody =
        Math.min(
            Math.min(set.get(MESSAGE_MAX_SIZE), LARGEST_BODY_BYTES),
            Math.max(LEAST_BODY_BYTES, bufferBytes / 8));
    int loops = set.get(LOOPS);
    return new NetworkConfig(
        HostAddress.choose(set.find(HOST).orElse(""), rssIp),
        set.get(RPC_PORT),
        set.get(SERVER_TYPE) == ServerType.GRPC_NETTY
            ? Optional.of(set.get(NETTY_PORT))
            : Optional.empty(),
        new HttpPortConfig(
            set.get(HTTP_PORT),
            set.get(MAX_HTTP_CONNECTIONS),
            set.get(MAX_HTTP_CONNECTIONS_PER_PEER)),
        mode,
        set.get(BACKLOG),
        loops == 0 ? Math.max(2, cores) : loops,
        Math.min(
            set.get(RPC_THREADS), Math.max(LEAST_RPC_THREADS, USEFUL_RPC_THREADS_PER_CORE * cores)),
        (int) maxBody,
        new DataTransportConfig(
            set.get(HELLO_TIMEOUT).intValue(),
            set.get(STALL_TIMEOUT).intValue(),
            set.get(BODY_TIMEOUT).intValue(),
            set.get(MAX_CONNECTIONS),
            set.get(MAX_PENDING_REQUESTS),
            set.get(MAX_CONNECTIONS_PER_PEER),
            set.get(MAX_CONNECTIONS_PER_APPLICATION)));
  }
}
