package io.sluice.transport.client;

import io.sluice.common.net.IoMode;
import io.sluice.transport.frame.FrameLimits;

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

  /** How often to look for requests that have waited too long, in milliseconds. */
  long overdueCheckMs() {
    return Math.max(1, Math.min(connectTimeoutMs, requestTimeoutMs) / 4);
  }
}
