package io.sluice.transport.client;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.net.IoMode;
import io.sluice.transport.protocol.FrameLimits;
import java.util.List;

/**
 * How a client's connections behave.
 *
 * @param connectTimeoutMs for the TCP connection and the HELLO together
 * @param requestTimeoutMs from sending a request to its reply; an Open's own wait is added. A
 *     server that is short of memory does not read, so this is also the patience of a push
 * @param ioMode for NETTY and GRPC alike; what the kernel lacks is replaced
 * @param threads event loops, for all connections together
 * @param limits of the frames that servers send
 */
public record TransportConfig(
    int connectTimeoutMs, int requestTimeoutMs, IoMode ioMode, int threads, FrameLimits limits) {
  static final ConfigKey<IoMode> IO_MODE =
      ConfigKey.enumeration("rss.client.netty.io.mode", IoMode.class)
          .defaultValue(IoMode.EPOLL)
          .doc(
              "How sockets are waited for: `NIO`, `EPOLL` or `IO_URING`. A mode that the machine"
                  + " lacks is replaced, with one line in the log. Change it only to find a fault.")
          .build();

  static final ConfigKey<Integer> THREADS =
      ConfigKey.integer("rss.client.netty.client.threads")
          .defaultValue(2)
          .atLeast(1)
          .atMost(128)
          .alsoAllow(0, "the default")
          .doc(
              "Event loops of one process, for all its connections. Raise it if a profile shows"
                  + " them busy all the time.")
          .build();

  static final ConfigKey<Long> CONNECT_TIMEOUT =
      ConfigKey.durationMs("rss.client.connect.timeout")
          .defaultValue(10_000L)
          .atLeast(10L)
          .atMost(600_000L)
          .doc(
              "How long connecting to a server may take, the handshake included. Lower it if"
                  + " servers often vanish without closing connections.")
          .build();

  static final ConfigKey<Long> RPC_TIMEOUT =
      ConfigKey.durationMs("rss.client.rpc.timeout.ms")
          .defaultValue(60_000L)
          .atLeast(10L)
          .atMost(3_600_000L)
          .doc(
              "How long a server may take to answer one request; then the connection is closed. A"
                  + " server short of memory lets pushes wait. Raise it if busy servers cause"
                  + " reconnects; it must exceed their rss.server.disk.read.timeout.")
          .build();

  /** The keys of clients. */
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

  public static TransportConfig from(ConfigSet set) {
    return new TransportConfig(
        Math.toIntExact(set.get(CONNECT_TIMEOUT)),
        Math.toIntExact(set.get(RPC_TIMEOUT)),
        set.get(IO_MODE),
        set.get(THREADS) == 0 ? THREADS.defaultValue().orElseThrow() : set.get(THREADS),
        FrameLimits.DEFAULT);
  }

  /** How often to look for requests that have waited too long, in milliseconds. */
  long overdueCheckMs() {
    return Math.max(1, Math.min(connectTimeoutMs, requestTimeoutMs) / 4);
  }
}
