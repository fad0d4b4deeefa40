package io.sluice.transport.client;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.net.IoMode;
import io.sluice.transport.protocol.FrameLimits;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * Configuration of a client's connections.
 *
 * @param connectTimeoutMs timeout of the TCP connection and the handshake together
 * @param requestTimeoutMs timeout from sending a request to its reply; the wait time of an Open is
 *     added. It also limits how long a push waits, because a server without free memory does not
 *     read
 * @param ioMode I/O mode of NETTY and GRPC; replaced if the kernel does not support it
 * @param threads number of event loops, for all connections together
 * @param limits limits of frames from servers
 * @param localAddress address of the client's end of connections; empty: the kernel chooses it
 */
public record TransportConfig(
    int connectTimeoutMs,
    int requestTimeoutMs,
    IoMode ioMode,
    int threads,
    FrameLimits limits,
    Optional<InetAddress> localAddress) {
  static final ConfigKey<IoMode> IO_MODE =
      ConfigKey.enumeration("rss.client.netty.io.mode", IoMode.class)
          .defaultValue(IoMode.EPOLL)
          .doc(
              "I/O mechanism of client sockets: `NIO`, `EPOLL` or `IO_URING`. If the host does not"
                  + " support the mode, another one is used and logged. Change it only for"
                  + " diagnosis.")
          .build();

  static final ConfigKey<Integer> THREADS =
      ConfigKey.integer("rss.client.netty.client.threads")
          .defaultValue(2)
          .atLeast(1)
          .atMost(128)
          .alsoAllow(0, "the default")
          .doc(
              "Number of event loop threads of one process, for all its connections. Raise it if a"
                  + " profile shows that these threads are always busy.")
          .build();

  static final ConfigKey<Long> CONNECT_TIMEOUT =
      ConfigKey.durationMs("rss.client.connect.timeout")
          .defaultValue(10_000L)
          .atLeast(10L)
          .atMost(600_000L)
          .doc(
              "Timeout of connecting to a server, including the handshake. Lower it if servers"
                  + " often disappear without closing connections.")
          .build();

  static final ConfigKey<Long> RPC_TIMEOUT =
      ConfigKey.durationMs("rss.client.rpc.timeout.ms")
          .defaultValue(60_000L)
          .atLeast(10L)
          .atMost(3_600_000L)
          .doc(
              "Timeout of one request to a server, after which the connection is closed; includes"
                  + " the time that a push waits for memory of the server. Raise it if busy"
                  + " servers cause reconnects. It must exceed rss.server.disk.read.timeout of the"
                  + " servers.")
          .build();

  /** Keys of clients. */
  public static final List<ConfigKey<?>> KEYS =
      List.of(IO_MODE, THREADS, CONNECT_TIMEOUT, RPC_TIMEOUT);

  public static final TransportConfig DEFAULT =
      new TransportConfig(10_000, 60_000, IoMode.EPOLL, 2, FrameLimits.DEFAULT);

  public TransportConfig {
    if (connectTimeoutMs < 1 || requestTimeoutMs < 1 || threads < 1) {
      throw new IllegalArgumentException(
          "transport: timeouts and threads must be at least 1: connectTimeoutMs="
              + connectTimeoutMs
              + " requestTimeoutMs="
              + requestTimeoutMs
              + " threads="
              + threads);
    }
  }

  /** With a local address that the kernel chooses. */
  public TransportConfig(
      int connectTimeoutMs, int requestTimeoutMs, IoMode ioMode, int threads, FrameLimits limits) {
    this(connectTimeoutMs, requestTimeoutMs, ioMode, threads, limits, Optional.empty());
  }

  /** The same configuration, with connections from an address of this host. */
  public TransportConfig withLocalAddress(InetAddress address) {
    return new TransportConfig(
        connectTimeoutMs, requestTimeoutMs, ioMode, threads, limits, Optional.of(address));
  }

  /** The local address with a free port; empty if the kernel chooses both. */
  Optional<InetSocketAddress> localSocketAddress() {
    return localAddress.map(address -> new InetSocketAddress(address, 0));
  }

  public static TransportConfig from(ConfigSet set) {
    return new TransportConfig(
        Math.toIntExact(set.get(CONNECT_TIMEOUT)),
        Math.toIntExact(set.get(RPC_TIMEOUT)),
        set.get(IO_MODE),
        set.get(THREADS) == 0 ? THREADS.defaultValue().orElseThrow() : set.get(THREADS),
        FrameLimits.DEFAULT);
  }

  /** Interval of checks of request timeouts, in milliseconds. */
  long overdueCheckMs() {
    return Math.max(1, Math.min(connectTimeoutMs, requestTimeoutMs) / 4);
  }
}
