package io.sluice.server;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.net.IoMode;
import io.sluice.transport.server.DataTransportConfig;
import java.util.List;
import java.util.Optional;

/**
 * Addresses, ports and connection limits of the server.
 *
 * @param nettyPort port of the framed transport; empty if the transport is disabled
 * @param ioMode preferred I/O mode of the framed transport
 * @param loops event loop threads of the framed transport
 * @param rpcThreads threads that run gRPC calls
 * @param maxBodyBytes maximum length of a frame's body
 * @param connections limits and timeouts of data connections, on both transports
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
  private static final long MAX_BODY_BYTES = 64L << 20;

  /** Every server accepts frames of this size, the maximum size that clients build. */
  private static final long MIN_MAX_BODY_BYTES = 4L << 20;

  /** gRPC calls block only briefly, so that more threads would only use memory. */
  private static final int RPC_THREADS_PER_CORE = 4;

  private static final int MIN_RPC_THREADS = 8;

  /** Data transports of a server. */
  public enum ServerType {
    /** Over gRPC streams only. */
    GRPC,
    /** Framed TCP on a separate port, and gRPC streams. */
    GRPC_NETTY
  }

  static final ConfigKey<String> HOST =
      ConfigKey.host("rss.server.host")
          .defaultText("every interface; RSS_IP or the machine's first address is announced")
          .doc(
              "Host name or address to listen on and to announce to clients, such as 10.0.0.7 or"
                  + " 2001:db8::7. By default the server listens on every interface, with IPv4 and"
                  + " IPv6, and announces the environment variable RSS_IP, or else its first"
                  + " address that other hosts can reach, IPv4 before IPv6. :: and 0.0.0.0 also"
                  + " listen on every interface. Set it on machines with several networks.")
          .build();

  static final ConfigKey<ServerType> SERVER_TYPE =
      ConfigKey.enumeration("rss.rpc.server.type", ServerType.class)
          .defaultValue(ServerType.GRPC_NETTY)
          .doc(
              "Data transports of the server. GRPC_NETTY: framed TCP on"
                  + " rss.server.netty.port and gRPC on rss.rpc.server.port; GRPC: only gRPC. Set"
                  + " GRPC if only one port may be open.")
          .build();

  static final ConfigKey<Integer> RPC_PORT =
      ConfigKey.integer("rss.rpc.server.port")
          .defaultValue(19999)
          .atLeast(0)
          .atMost(65535)
          .doc(
              "Port for control calls and for the gRPC data transport; 0: any free"
                  + " port. Change it if another process uses the port.")
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
              "Socket I/O mode of the framed transport: IO_URING, EPOLL or NIO. If"
                  + " the kernel does not support a mode, the server logs a line and uses the next"
                  + " one of this list. Change it only to isolate a fault.")
          .build();

  static final ConfigKey<Integer> LOOPS =
      ConfigKey.integer("rss.server.netty.worker.thread")
          .defaultValue(0)
          .atLeast(0)
          .atMost(1024)
          .doc(
              "Number of event loop threads of the framed transport; 0: one per"
                  + " core, at least two. Lower it if other processes share the machine.")
          .build();

  static final ConfigKey<Long> MESSAGE_MAX_SIZE =
      ConfigKey.dataSize("rss.rpc.message.max.size")
          .defaultValue(MAX_BODY_BYTES)
          .atLeast(MIN_MAX_BODY_BYTES)
          .doc(
              "Maximum size of the body of one pushed frame or one fetch, from 4"
                  + " MiB to 64 MiB. The effective limit is also at most an eighth of"
                  + " rss.server.buffer.capacity, but never below 4 MiB; the server announces it"
                  + " to clients when they connect. Lower it if a few clients fill the memory of a"
                  + " small server.")
          .build();

  static final ConfigKey<Integer> MAX_HTTP_CONNECTIONS =
      ConfigKey.integer("rss.server.http.connections.max")
          .defaultValue(256)
          .atLeast(1)
          .doc(
              "Maximum number of open connections to rss.jetty.http.port;"
                  + " additional connections are closed. Raise it if monitoring opens more.")
          .build();

  static final ConfigKey<Integer> MAX_HTTP_CONNECTIONS_PER_PEER =
      ConfigKey.integer("rss.server.http.connections.per.peer.max")
          .defaultValue(64)
          .atLeast(1)
          .doc(
              "Maximum number of open connections to rss.jetty.http.port from one"
                  + " client address, or from one IPv6 /64 network. Behind a reverse proxy, set it"
                  + " to the value of rss.server.http.connections.max, because all connections have"
                  + " the proxy's address.")
          .build();

  /** Configuration keys of this record. */
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
   * Checks that configured ports differ.
   *
   * @return the error message; empty if the ports are valid
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
                  + "; set different ports");
        }
      }
    }
    return Optional.empty();
  }

  /**
   * @param rssIp value of the environment variable {@code RSS_IP}, or null
   * @param bufferBytes memory for blocks; limits a body to an eighth of it, but not below the size
   *     that every client may send
   * @param cores number of processor cores
   */
  public static NetworkConfig from(ConfigSet set, String rssIp, long bufferBytes, int cores) {
    long maxBody =
        Math.min(
            Math.min(set.get(MESSAGE_MAX_SIZE), MAX_BODY_BYTES),
            Math.max(MIN_MAX_BODY_BYTES, bufferBytes / 8));
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
        Math.max(MIN_RPC_THREADS, RPC_THREADS_PER_CORE * cores),
        (int) maxBody,
        DataTransportConfig.from(set));
  }
}
