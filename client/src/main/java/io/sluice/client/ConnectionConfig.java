package io.sluice.client;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.transport.client.TransportConfig;
import java.util.List;
import java.util.stream.Stream;

/**
 * Settings of the connections of a process to servers.
 *
 * @param perServer maximum number of connections to one server, shared by all tasks of the process
 */
public record ConnectionConfig(TransportKind kind, TransportConfig transport, int perServer) {
  static final ConfigKey<TransportKind> TYPE =
      ConfigKey.enumeration("rss.client.type", TransportKind.class)
          .defaultValue(TransportKind.GRPC_NETTY)
          .doc(
              "Transport of data: `GRPC_NETTY` is framed TCP to the servers'"
                  + " rss.server.netty.port, `GRPC` is gRPC streams to their rss.rpc.server.port."
                  + " Set `GRPC` if only the gRPC port is open; it needs more CPU.")
          .build();

  static final ConfigKey<Integer> CONNECTIONS =
      ConfigKey.integer("rss.client.netty.client.connections.per.peer")
          .defaultValue(2)
          .atLeast(1)
          .atMost(64)
          .doc(
              "Maximum number of connections of one process to one server, shared by its tasks."
                  + " Raise it if executors with many cores push over networks faster than 25"
                  + " Gbit/s.")
          .build();

  public static final List<ConfigKey<?>> KEYS =
      Stream.concat(Stream.of(TYPE, CONNECTIONS), TransportConfig.KEYS.stream()).toList();

  public static ConnectionConfig from(ConfigSet set) {
    return new ConnectionConfig(set.get(TYPE), TransportConfig.from(set), set.get(CONNECTIONS));
  }
}
