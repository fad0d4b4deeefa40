package io.sluice.common.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class PeerConnectionsTest {
  private final PeerConnections connections = new PeerConnections(3, 2);

  private static InetSocketAddress from(String address, int port) {
    return new InetSocketAddress(address, port);
  }

  @Test
  void countsAddressesAndNotPorts() {
    assertThat(connections.open(from("10.0.0.1", 1))).isNull();
    assertThat(connections.open(from("10.0.0.1", 2))).isNull();
    assertThat(connections.open(from("10.0.0.1", 3)))
        .isEqualTo("too many connections from 10.0.0.1, limit=2");
    assertThat(connections.open(from("10.0.0.2", 1))).isNull();
    assertThat(connections.open(from("10.0.0.3", 1))).isEqualTo("too many connections, limit=3");
    assertThat(connections.open()).isEqualTo(3);
    assertThat(connections.refused()).isEqualTo(1);
    assertThat(connections.refusedPeers()).isEqualTo(1);

    connections.closed(from("10.0.0.1", 1));
    assertThat(connections.open(from("10.0.0.1", 4))).isNull();
  }

  @Test
  void peersWithoutInternetAddressAreOnePeer() {
    assertThat(connections.open(null)).isNull();
    assertThat(connections.open(null)).isNull();
    assertThat(connections.open(null)).contains("limit=2");
  }
}
