package io.sluice.transport.server;

import io.sluice.common.net.IoMode;

/**
 * Where and how the NETTY transport listens.
 *
 * @param host address to bind; null for all
 * @param port to bind; 0 for any free one
 * @param backlog connections that the kernel keeps until they are accepted
 * @param threads event loops
 */
public record NettyServerConfig(
    String host,
    int port,
    int backlog,
    IoMode ioMode,
    int threads,
    DataTransportConfig connections) {
  public NettyServerConfig {
    if (port < 0 || port > 65_535 || backlog < 1 || threads < 1) {
      throw new IllegalArgumentException(
          "data server: port must be 0 to 65535, backlog and threads at least 1: port="
              + port
              + " backlog="
              + backlog
              + " threads="
              + threads);
    }
  }
}
