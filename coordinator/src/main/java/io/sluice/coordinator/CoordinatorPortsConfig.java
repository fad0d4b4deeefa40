package io.sluice.coordinator;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.net.PeerConnections;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * Addresses and connection limits of the coordinator's ports.
 *
 * @param host address to listen on; empty: all interfaces
 * @param rpcPort 0: any free port
 * @param httpPort 0: any free port
 * @param maxConnections maximum number of connections to the gRPC port
 * @param maxConnectionsPerPeer maximum number of connections to the gRPC port from one address
 * @param maxHttpConnections maximum number of connections to the HTTP port
 * @param maxHttpConnectionsPerPeer maximum number of connections to the HTTP port from one address
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
              "gRPC port for servers, drivers and `sluice` commands; 0: any free port. Change it"
                  + " if another process uses the port.")
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
      ConfigKey.host("rss.coordinator.host")
          .defaultValue("")
          .defaultText("all interfaces")
          .doc(
              "Host name or address of the interface to listen on, such as 10.0.0.7 or"
                  + " 2001:db8::7; the default serves IPv4 and IPv6. Set it on machines with a"
                  + " network from which the coordinator must not be reachable. If the API needs"
                  + " no authentication, browsers must use this name in URLs if it contains a"
                  + " dot (security.md).")
          .build();
  static final ConfigKey<Integer> MAX_CONNECTIONS =
      ConfigKey.integer("rss.coordinator.connections.max")
          .defaultValue(20_000)
          .atLeast(1)
          .doc(
              "Maximum number of connections to rss.rpc.server.port; connections beyond it get"
                  + " an error and are closed. Each server and each application uses one. Raise it with the"
                  + " number of applications that run at a time.")
          .build();
  static final ConfigKey<Integer> MAX_CONNECTIONS_PER_PEER =
      ConfigKey.integer("rss.coordinator.connections.per.peer.max")
          .defaultValue(2_500)
          .atLeast(1)
          .doc(
              "Maximum number of connections to rss.rpc.server.port from one address; the"
                  + " addresses of one IPv6 /64 network count as one. Raise it if more servers"
                  + " and drivers share an address (NAT) or such a network.")
          .build();
  static final ConfigKey<Integer> MAX_HTTP_CONNECTIONS =
      ConfigKey.integer("rss.coordinator.http.connections.max")
          .defaultValue(256)
          .atLeast(1)
          .doc(
              "Maximum number of connections to rss.jetty.http.port; connections beyond it get"
                  + " an error and are closed. A browser opens up to six. Raise it if more than 40 browsers show"
                  + " the web pages at a time.")
          .build();
  static final ConfigKey<Integer> MAX_HTTP_CONNECTIONS_PER_PEER =
      ConfigKey.integer("rss.coordinator.http.connections.per.peer.max")
          .defaultValue(64)
          .atLeast(1)
          .doc(
              "Maximum number of connections to rss.jetty.http.port from one address, or from"
                  + " one IPv6 /64 network. Set it to rss.coordinator.http.connections.max behind a"
                  + " reverse proxy, because all requests then come from the address of the proxy.")
          .build();

  /** Keys of this record. */
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

  /** Counts and limits the connections to the gRPC port. */
  PeerConnections connections() {
    return new PeerConnections(
        maxConnections,
        maxConnectionsPerPeer,
        MAX_CONNECTIONS.name(),
        MAX_CONNECTIONS_PER_PEER.name());
  }

  /** Counts and limits the connections to the HTTP port. */
  PeerConnections httpConnections() {
    return new PeerConnections(
        maxHttpConnections,
        maxHttpConnectionsPerPeer,
        MAX_HTTP_CONNECTIONS.name(),
        MAX_HTTP_CONNECTIONS_PER_PEER.name());
  }

  /** The address to bind for a port. */
  InetSocketAddress address(int port) {
    return host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
  }

  private static ConfigKey.Builder<Integer> port(String name) {
    return ConfigKey.integer(name).atLeast(0).atMost(MAX_PORT);
  }
}
