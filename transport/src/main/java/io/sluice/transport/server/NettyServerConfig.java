package io.sluice.transport.server;

import io.sluice.common.net.IoMode;

/**
 * Address and threads of the NETTY transport.
 *
 * @param host address to bind; null for all
 * @param port port to bind; 0 for any free port
 * @param threads number of event loops
 */
public record NettyServerConfig(
    String host, int port, IoMode ioMode, int threads, DataTransportConfig connections) {
  public NettyServerConfig {
    if (port < 0 || port > 65_535 || threads < 1) {
      throw new IllegalArgumentException(
          "data server: port must be 0 to 65535, threads at least 1: port="
              + port
              + " threads="
              + threads);
    }
  }
}
