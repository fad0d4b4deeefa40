package io.sluice.client;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.transport.client.TransportConfig;
import java.util.List;
import java.util.stream.Stream;

/**
 * How a process connects to servers.
 *
 * @param perServer connections to one server, for all tasks of the process together
 */
public record ConnectionConfig(TransportKind kind, TransportConfig transport, int perServer) {
  static final ConfigKey<TransportKind> TYPE =
      ConfigKey.enumeration("rss.client.type", TransportKind.class)
          .defaultValue(TransportKind.GRPC_NETTY)
          .doc(
              "How data is transferred: `GRPC_NETTY` over framed TCP to the servers'"
                  + " rss.server.netty.port, `GRPC` in gRPC streams to their rss.rpc.server.port."
                  + " Change it to `GRPC` if only that port is open; it costs more CPU.")
          .build();

  static final ConfigKey<Integer> CONNECTIONS =
      ConfigKey.integer("rss.client.netty.client.connections.per.peer")
          .defaultValue(2)
          .atLeast(1)
          .atMost(64)
          .doc(
              "Connections of one process to one server, shared by its tasks. Raise it if"
                  + " executors with many cores push over networks beyond 25 Gbit/s.")
          .build();

  public static final List<ConfigKey<?>> KEYS =
      Stream.concat(Stream.of(TYPE, CONNECTIONS), TransportConfig.KEYS.stream()).toList();

  public static ConnectionConfig from(ConfigSet set) {
    return new ConnectionConfig(set.get(TYPE), TransportConfig.from(set), set.get(CONNECTIONS));
  }
}
