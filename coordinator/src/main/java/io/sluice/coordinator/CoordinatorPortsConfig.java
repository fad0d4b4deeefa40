package io.sluice.coordinator;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * Where the coordinator listens, and how many connections it takes.
 *
 * @param host address to listen on; empty: all interfaces
 * @param rpcPort 0: any free port
 * @param httpPort 0: any free port
 * @param maxConnections to the gRPC port
 * @param maxConnectionsPerPeer to the gRPC port, from one address
 * @param maxHttpConnections to the HTTP port
 * @param maxHttpConnectionsPerPeer to the HTTP port, from one address
 */
record CoordinatorPortsConfig(
    String host,
    int rpcPort,
    int httpPort,
    int maxConnections,
    int maxConnectionsPerPeer,
    int maxHttpConnections,
    int maxHttpConnectionsPerPeer) {
  private static final int MAX_PORT = 65535;

  static final ConfigKey<Integer> RPC_PORT =
      port("rss.rpc.server.port")
          .defaultValue(19999)
          .doc(
              "Port for servers, drivers and tools; 0: any free port. Change it if another process"
                  + " uses the port.")
          .build();
  static final ConfigKey<Integer> HTTP_PORT =
      port("rss.jetty.http.port")
          .defaultValue(19998)
          .doc(
              "Port of the web pages (`/`), the REST API (`/api/v1/`), `/metrics` (Prometheus),"
                  + " `/healthz` and `/readyz`; 0: any free port. Change it if another process uses"
                  + " the port.")
          .build();
  static final ConfigKey<String> HOST =
      ConfigKey.string("rss.coordinator.host")
          .defaultValue("")
          .defaultText("all interfaces")
          .doc(
              "Name or address of the interface to listen on. Set it on machines with an interface"
                  + " that must not reach the coordinator. Where the API asks for no proof, browsers"
                  + " must use this name in their URLs if it contains a dot (security.md).")
          .build();
  static final ConfigKey<Integer> MAX_CONNECTIONS =
      ConfigKey.integer("rss.coordinator.connections.max")
          .defaultValue(20_000)
          .atLeast(1)
          .doc(
              "Maximum number of connections to rss.rpc.server.port; a further one is closed. Each"
                  + " server and each application has one. Raise it with the number of applications"
                  + " that run at a time.")
          .build();
  static final ConfigKey<Integer> MAX_CONNECTIONS_PER_PEER =
      ConfigKey.integer("rss.coordinator.connections.per.peer.max")
          .defaultValue(2_500)
          .atLeast(1)
          .doc(
              "Maximum number of connections to rss.rpc.server.port from one address. Raise it if"
                  + " drivers of many machines share an address (NAT).")
          .build();
  static final ConfigKey<Integer> MAX_HTTP_CONNECTIONS =
      ConfigKey.integer("rss.coordinator.http.connections.max")
          .defaultValue(256)
          .atLeast(1)
          .doc(
              "Maximum number of connections to rss.jetty.http.port; a further one is closed. A"
                  + " browser has six. Raise it if more people have the pages open.")
          .build();
  static final ConfigKey<Integer> MAX_HTTP_CONNECTIONS_PER_PEER =
      ConfigKey.integer("rss.coordinator.http.connections.per.peer.max")
          .defaultValue(64)
          .atLeast(1)
          .doc(
              "Maximum number of connections to rss.jetty.http.port from one address. Behind a"
                  + " reverse proxy all browsers have its address: give it the value of"
                  + " rss.coordinator.http.connections.max then.")
          .build();

  /** The keys that this record is made from. */
  static final List<ConfigKey<?>> KEYS =
      List.of(
          RPC_PORT,
          HTTP_PORT,
          HOST,
          MAX_CONNECTIONS,
          MAX_CONNECTIONS_PER_PEER,
          MAX_HTTP_CONNECTIONS,
          MAX_HTTP_CONNECTIONS_PER_PEER);

  static CoordinatorPortsConfig from(ConfigSet set) {
    return new CoordinatorPortsConfig(
        set.get(HOST),
        set.get(RPC_PORT),
        set.get(HTTP_PORT),
        set.get(MAX_CONNECTIONS),
        set.get(MAX_CONNECTIONS_PER_PEER),
        set.get(MAX_HTTP_CONNECTIONS),
        set.get(MAX_HTTP_CONNECTIONS_PER_PEER));
  }

  /** The address to bind for a port. */
  InetSocketAddress address(int port) {
    return host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
  }

  private static ConfigKey.Builder<Integer> port(String name) {
    return ConfigKey.integer(name).atLeast(0).atMost(MAX_PORT);
  }
}
