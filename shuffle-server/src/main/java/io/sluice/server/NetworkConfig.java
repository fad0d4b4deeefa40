package io.sluice.server;

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
 * @param loops threads of the framed transport
 * @param rpcThreads threads for gRPC calls
 * @param maxBodyBytes largest body of a frame
 * @param connections what the server puts up with from data connections, on either transport
 */
public record NetworkConfig(
    HostAddress address,
    int rpcPort,
    Optional<Integer> nettyPort,
    HttpPortConfig http,
    IoMode ioMode,
    int loops,
    int rpcThreads,
    int maxBodyBytes,
    DataTransportConfig connections) {
  private static final long LARGEST_BODY_BYTES = 64L << 20;

  /** Frames of this size every server takes: the largest that clients make. */
  private static final long LEAST_BODY_BYTES = 4L << 20;

  /** gRPC calls do not block for long: more threads only cost memory. */
  private static final int RPC_THREADS_PER_CORE = 4;

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
              "Host name or address to listen on and to announce. Without it the server listens"
                  + " on every interface and announces the environment variable RSS_IP, or else its"
                  + " first address that is not loopback. Set it on machines with several networks.")
          .build();

  static final ConfigKey<ServerType> SERVER_TYPE =
      ConfigKey.enumeration("rss.rpc.server.type", ServerType.class)
          .defaultValue(ServerType.GRPC_NETTY)
          .doc(
              "Transports for data. GRPC_NETTY: framed TCP on rss.server.netty.port and gRPC on"
                  + " rss.rpc.server.port; GRPC: only gRPC. Change it if only one port may be open.")
          .build();

  static final ConfigKey<Integer> RPC_PORT =
      ConfigKey.integer("rss.rpc.server.port")
          .defaultValue(19999)
          .atLeast(0)
          .atMost(65535)
          .doc(
              "Port of control calls and of the gRPC transport; 0: any free port. Change it if"
                  + " another process uses the port.")
          .build();

  static final ConfigKey<Integer> NETTY_PORT =
      ConfigKey.integer("rss.server.netty.port")
          .defaultValue(17000)
          .atLeast(0)
          .atMost(65535)
          .doc(
              "Port of the framed transport; 0: any free port. Change it if another process uses"
                  + " the port.")
          .build();

  static final ConfigKey<Integer> HTTP_PORT =
      ConfigKey.integer("rss.jetty.http.port")
          .defaultValue(19998)
          .atLeast(0)
          .atMost(65535)
          .doc(
              "Port of /metrics, /healthz and /readyz; 0: any free port. Change it if another"
                  + " process uses the port.")
          .build();

  static final ConfigKey<IoMode> IO_MODE =
      ConfigKey.enumeration("rss.server.netty.io.mode", IoMode.class)
          .defaultValue(IoMode.EPOLL)
          .doc(
              "How the framed transport waits for its sockets: IO_URING, EPOLL or NIO. If the"
                  + " kernel lacks a mode, the next one is used, with one line in the log. Change it"
                  + " only to find a fault.")
          .build();

  static final ConfigKey<Integer> LOOPS =
      ConfigKey.integer("rss.server.netty.worker.thread")
          .defaultValue(0)
          .atLeast(0)
          .atMost(1024)
          .doc(
              "Threads of the framed transport; 0: one per core, at least two. Change it if other"
                  + " processes share the machine.")
          .build();

  static final ConfigKey<Long> MESSAGE_MAX_SIZE =
      ConfigKey.dataSize("rss.rpc.message.max.size")
          .defaultValue(LARGEST_BODY_BYTES)
          .atLeast(LEAST_BODY_BYTES)
          .doc(
              "Maximum body of one pushed frame or one fetch, at most 64 MiB. Beyond the 4 MiB"
                  + " that every client may send it is also at most an eighth of"
                  + " rss.server.buffer.capacity; clients learn it when they connect. Lower it if a few"
                  + " clients fill the memory of a small server.")
          .build();

  static final ConfigKey<Integer> MAX_HTTP_CONNECTIONS =
      ConfigKey.integer("rss.server.http.connections.max")
          .defaultValue(256)
          .atLeast(1)
          .doc(
              "Maximum number of open connections to rss.jetty.http.port; a further one is"
                  + " closed. Change it only if monitoring opens more.")
          .build();

  static final ConfigKey<Integer> MAX_HTTP_CONNECTIONS_PER_PEER =
      ConfigKey.integer("rss.server.http.connections.per.peer.max")
          .defaultValue(64)
          .atLeast(1)
          .doc(
              "Maximum number of open connections to rss.jetty.http.port from one address. Behind"
                  + " a reverse proxy all have its address: give it the value of"
                  + " rss.server.http.connections.max then.")
          .build();

  /** The keys that this record is made from. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(
          HOST,
          SERVER_TYPE,
          RPC_PORT,
          NETTY_PORT,
          HTTP_PORT,
          IO_MODE,
          LOOPS,
          MESSAGE_MAX_SIZE,
          MAX_HTTP_CONNECTIONS,
          MAX_HTTP_CONNECTIONS_PER_PEER);

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
        set.get(IO_MODE),
        loops == 0 ? Math.max(2, cores) : loops,
        Math.max(LEAST_RPC_THREADS, RPC_THREADS_PER_CORE * cores),
        (int) maxBody,
        DataTransportConfig.from(set));
  }
}
