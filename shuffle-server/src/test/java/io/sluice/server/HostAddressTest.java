package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.config.ConfigException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostAddressTest {
  /** Addresses of a machine; those of an interface have a scope, as Java returns them. */
  private static String announced(String... own) throws UnknownHostException {
    List<InetAddress> addresses = new ArrayList<>();
    for (String address : own) {
      InetAddress parsed = InetAddress.getByName(address);
      addresses.add(
          parsed instanceof Inet6Address
              ? Inet6Address.getByAddress(null, parsed.getAddress(), 4)
              : parsed);
    }
    return HostAddress.choose("", null, () -> addresses).announced();
  }

  @Test
  void theConfiguredHostIsListenedOnAndAnnounced() throws UnknownHostException {
    HostAddress address = HostAddress.choose("127.0.0.1", "10.1.1.1");
    assertThat(address.announced()).isEqualTo("127.0.0.1");
    assertThat(address.listenOn(17).getAddress().getHostAddress()).isEqualTo("127.0.0.1");
    assertThat(address.listenOn(17).getPort()).isEqualTo(17);
    assertThat(address.warning()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"' 10.1.1.1 ', 10.1.1.1", "[2001:DB8::7], 2001:db8::7", "server1, server1"})
  void theEnvironmentsAddressIsAnnouncedAndEveryInterfaceListenedOn(String rssIp, String host)
      throws UnknownHostException {
    HostAddress address = HostAddress.choose("", rssIp);
    assertThat(address.announced()).isEqualTo(host);
    assertThat(address.listenOn(0).getAddress().isAnyLocalAddress()).isTrue();
    assertThat(address.warning()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "fe80::1%eth0, is an IPv6 address of a single network",
    "::, means every interface",
    "0.0.0.0, means every interface",
    "10.1.1.1:19999, is not a host"
  })
  void refusesToAnnounceWhatClientsCannotUse(String rssIp, String problem) {
    assertThatThrownBy(() -> HostAddress.choose("", rssIp))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("RSS_IP: ")
        .hasMessageContaining(problem);
  }

  @ParameterizedTest
  @ValueSource(strings = {"::", "0.0.0.0"})
  void everyInterfaceIsNeverAnnounced(String host) throws UnknownHostException {
    HostAddress address = HostAddress.choose(host, "10.1.1.1");
    assertThat(address.announced()).isEqualTo("10.1.1.1");
    assertThat(address.listenOn(0).getAddress().isAnyLocalAddress()).isTrue();
    assertThat(HostAddress.choose(host, null, List::of).announced()).isEqualTo("127.0.0.1");
  }

  @Test
  void announcesAnAddressOfThisMachineByDefault() throws UnknownHostException {
    HostAddress address = HostAddress.choose("", null);
    assertThat(InetAddress.getByName(address.announced()).isAnyLocalAddress()).isFalse();
    assertThat(address.listenOn(0).getAddress().isAnyLocalAddress()).isTrue();
  }

  @Test
  void announcesTheFirstAddressThatOtherHostsReach() throws UnknownHostException {
    assertThat(announced("fe80::1", "2001:db8::7", "fd00::7")).isEqualTo("2001:db8::7");
    assertThat(announced("fd00::7", "169.254.0.1", "10.0.0.7", "10.0.0.8")).isEqualTo("10.0.0.7");
  }

  @Test
  void warnsIfNoOtherHostReachesTheServer() throws UnknownHostException {
    assertThat(announced("fe80::1")).isEqualTo("127.0.0.1");
    assertThat(HostAddress.choose("", null, List::of).warning())
        .get()
        .asString()
        .startsWith("the server announces 127.0.0.1, which clients on other hosts cannot reach");
  }

  @Test
  void aHostWithoutAnAddressIsRefused() {
    assertThatThrownBy(() -> HostAddress.choose("no such host", null).listenOn(0))
        .isInstanceOf(UnknownHostException.class);
  }
}
