package io.sluice.common.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class PeerConnectionsTest {
  private final PeerConnections connections = new PeerConnections(3, 2, "rss.max", "rss.peer.max");

  private static InetSocketAddress from(String address, int port) {
    return new InetSocketAddress(address, port);
  }

  @Test
  void countsAddressesAndNotPorts() {
    assertThat(connections.open(from("10.0.0.1", 1))).isNull();
    assertThat(connections.open(from("10.0.0.1", 2))).isNull();
    assertThat(connections.open(from("10.0.0.1", 3)))
        .isEqualTo(
            "too many connections from 10.0.0.1, limit=2 open=2; to allow more, raise rss.peer.max");
    assertThat(connections.open(from("10.0.0.2", 1))).isNull();
    assertThat(connections.open(from("10.0.0.3", 1)))
        .isEqualTo("too many connections, limit=3 open=3; to allow more, raise rss.max");
    assertThat(connections.open()).isEqualTo(3);
    assertThat(connections.refused()).isEqualTo(1);
    assertThat(connections.refusedPeers()).isEqualTo(1);

    connections.closed(from("10.0.0.1", 1));
    assertThat(connections.open(from("10.0.0.1", 4))).isNull();
  }

  @Test
  void anIpv6NetworkCountsAsOneAddress() {
    assertThat(connections.open(from("2001:db8:0:1::1", 1))).isNull();
    assertThat(connections.open(from("2001:db8:0:1:ffff:ffff:ffff:ffff", 1))).isNull();
    assertThat(connections.open(from("2001:db8:0:1:2::3", 1)))
        .startsWith("too many connections from 2001:db8:0:1::/64, limit=2 open=2; ");
    assertThat(connections.open(from("2001:db8:0:2::1", 1))).isNull();

    connections.closed(from("2001:db8:0:2::1", 1));
    connections.closed(from("2001:db8:0:1:ffff:ffff:ffff:ffff", 1));
    assertThat(connections.open(from("2001:db8:0:1::2", 1))).isNull();
    assertThat(connections.open(from("2001:db8:0:1::3", 1))).contains("limit=2");
  }

  @Test
  void anIpv4MappedAddressIsTheIpv4Address() throws UnknownHostException {
    byte[] mapped = new byte[16];
    Arrays.fill(mapped, 10, 12, (byte) 0xff);
    System.arraycopy(new byte[] {10, 0, 0, 1}, 0, mapped, 12, 4);
    InetSocketAddress peer = new InetSocketAddress(Inet6Address.getByAddress(null, mapped, -1), 7);
    assertThat(peer.getAddress()).isInstanceOf(Inet6Address.class);
    assertThat(PeerConnections.address(peer)).isEqualTo("10.0.0.1");
    assertThat(PeerConnections.text(peer)).isEqualTo("10.0.0.1:7");
  }

  @Test
  void loopbackAddressesAreNoNetwork() {
    assertThat(PeerConnections.address(from("::1", 1))).isEqualTo("::1");
    assertThat(PeerConnections.address(from("127.0.0.1", 1))).isEqualTo("127.0.0.1");
  }

  @Test
  void logsHaveTheWholeAddress() {
    assertThat(PeerConnections.text(from("2001:DB8:0:1::1", 80))).isEqualTo("[2001:db8:0:1::1]:80");
    assertThat(PeerConnections.text(from("10.0.0.1", 80))).isEqualTo("10.0.0.1:80");
  }

  @Test
  void peersWithoutInternetAddressAreOnePeer() {
    assertThat(connections.open(null)).isNull();
    assertThat(connections.open(null)).isNull();
    assertThat(connections.open(null)).contains("limit=2");
  }
}
