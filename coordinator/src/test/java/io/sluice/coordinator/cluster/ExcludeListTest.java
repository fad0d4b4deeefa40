package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.proto.ServerId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExcludeListTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10.0.0.7:19999",
        "10.0.0.7-19999",
        "10.0.0.7-19999-17000",
        "10.0.0.7",
        "  10.0.0.7:19999  # broken fan"
      })
  void matchesAServerInEveryForm(String line) {
    assertThat(
            ExcludeList.parse(List.of("", "# comment", line))
                .excludes(Servers.id("10.0.0.7", 19999)))
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"10.0.0.7:1999", "10.0.0.70:19999", "10.0.0", "10.0.0.7-1999", "# 10.0.0.7:19999"})
  void doesNotMatchOtherServers(String line) {
    assertThat(ExcludeList.parse(List.of(line)).excludes(Servers.id("10.0.0.7", 19999))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[2001:db8::7]:19999",
        "[2001:DB8:0::7]:19999 # broken fan",
        "2001:db8::7",
        "[2001:db8::7]",
        "2001:0db8:0:0:0:0:0:7",
        "2001:DB8::7-19999",
        "[2001:DB8::7]-19999",
        "2001:db8::7-19999-17000"
      })
  void matchesAnIpv6ServerInEveryForm(String line) {
    ServerId server = Servers.id("2001:db8::7", 19999);
    assertThat(server.getName()).isEqualTo("[2001:db8::7]:19999");
    ExcludeList list = ExcludeList.parse(List.of(line));
    assertThat(list.excludes(server)).isTrue();
    assertThat(ExcludeList.parse(list.sorted())).isEqualTo(list);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[2001:db8::7]:1999",
        "2001:db8::7:19999",
        "[2001:db8::8]:19999",
        "2001:db8::",
        "[2001:db8::7",
        "[fe80::1%eth0]:19999",
        "[]",
        "[]:19999"
      })
  void doesNotMatchOtherIpv6Servers(String line) {
    assertThat(ExcludeList.parse(List.of(line)).excludes(Servers.id("2001:db8::7", 19999)))
        .isFalse();
  }

  @Test
  void matchesLinesAsAWhole() {
    ExcludeList list = ExcludeList.parse(List.of("node-7"));
    assertThat(list.excludes(Servers.id("node-7", 19999))).isTrue();
    assertThat(list.excludes(Servers.id("node", 19999))).isFalse();
    assertThat(list.excludes(Servers.id("node", 7))).isTrue();
  }

  @Test
  void isEqualInAnyOrderOfLines() {
    assertThat(ExcludeList.parse(List.of("a:1", "b:1", "a:1")))
        .isEqualTo(ExcludeList.parse(List.of("b:1", "", "a:1")))
        .hasToString("[a:1, b:1]");
    assertThat(ExcludeList.parse(List.of("a:1"))).isNotEqualTo(ExcludeList.empty());
  }
}
