package io.sluice.common.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostTextTest {
  @ParameterizedTest
  @CsvSource({
    "server1, server1",
    "Server-1.Example.org, Server-1.Example.org",
    "10.0.0.7, 10.0.0.7",
    "0.0.0.0, 0.0.0.0",
    "::, ::",
    "[::], ::",
    "::1, ::1",
    "[::1], ::1",
    "' [::1] ', ::1",
    "0:0:0:0:0:0:0:1, ::1",
    "2001:DB8:0:0:1:0:0:0, 2001:db8:0:0:1::",
    "2001:0db8:0000:0001:0000:0000:0000:0007, 2001:db8:0:1::7",
    "::ffff:10.0.0.7, 10.0.0.7",
    "[::FFFF:a00:7], 10.0.0.7",
    "febf::1%, ''",
    "fec0::1, fec0::1",
  })
  void hasOneFormOfEachHost(String text, String canonical) {
    if (canonical.isEmpty()) {
      assertThatThrownBy(() -> HostText.canonical(text))
          .isInstanceOf(IllegalArgumentException.class);
      return;
    }
    assertThat(HostText.canonical(text)).isEqualTo(canonical);
    assertThat(HostText.canonical(canonical)).isEqualTo(canonical);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "[]",
        "[a]",
        "[10.0.0.7]",
        "a b",
        "a:1",
        "::1::",
        "[::1",
        "::1]",
        "1:2:3",
        "a%b",
        "[::1]:80",
        "10.0.0.7:80",
        "[[::1]]",
        ":",
        "2001:db8::g"
      })
  void refusesOtherText(String text) {
    assertThatThrownBy(() -> HostText.canonical(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("\"" + text + "\" is not a host; expected a name, ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"fe80::1", "[FE80::1]", "febf::7", "fe80::1%eth0", "[fe80::1%2]", "fd00::2%eth0"})
  void refusesAddressesOfOneNetwork(String text) {
    assertThatThrownBy(() -> HostText.canonical(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("\"" + text + "\" is an IPv6 address of a single network ")
        .hasMessageContaining("expected a global or unique local address");
  }

  @Test
  void addressesHaveNoScope() throws UnknownHostException {
    byte[] bytes = InetAddress.getByName("fd00::2").getAddress();
    assertThat(HostText.of(Inet6Address.getByAddress(null, bytes, 4))).isEqualTo("fd00::2");
  }

  @Test
  void anIpv6AddressHasBracketsBeforeAPort() {
    assertThat(HostText.withPort("2001:db8::7", 80)).isEqualTo("[2001:db8::7]:80");
    assertThat(HostText.withPort("10.0.0.7", 80)).isEqualTo("10.0.0.7:80");
    assertThat(HostText.withPort("*", 80)).isEqualTo("*:80");
  }

  @Test
  void everyInterfaceIsNoAddressToConnectTo() {
    assertThat(HostText.isWildcard(HostText.canonical("[0:0:0:0:0:0:0:0]"))).isTrue();
    assertThat(HostText.isWildcard("0.0.0.0")).isTrue();
    assertThat(HostText.isWildcard("::1")).isFalse();
  }

  @Test
  void aKeyOfAHostMayBeEmpty() {
    ConfigKey<String> key = ConfigKey.host("rss.host").doc("A host.").build();
    assertThat(key.parse("")).isEmpty();
    assertThat(key.parse("[2001:DB8::7]")).isEqualTo("2001:db8::7");
    assertThatThrownBy(() -> key.parse("fe80::1%eth0")).hasMessageContaining("single network");
  }
}
