package io.sluice.coordinator.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostNamesTest {
  private final HostNames names = new HostNames("C1.prod.example.com");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10.0.0.7",
        "10.0.0.7:19998",
        "[::1]:19998",
        "[2001:db8::7]",
        "[::ffff:10.0.0.7]:19998",
        "localhost:19998",
        "sluice.localhost",
        "sluice-coordinator.spark.svc:19998",
        "sluice-coordinator.spark.svc.cluster.local",
        "ip-10-0-0-7.eu-west-1.compute.internal:19998",
        "mac.local.",
        "coordinator-1",
        "coordinator-1:19998",
        "c1.prod.example.com:19998",
        "c1.PROD.example.com.",
        ""
      })
  void acceptsPrivateNames(String host) {
    assertThat(names.allow(host)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "evil.example:19998",
        "10.0.0.7.evil.example",
        "10.0.0.7.:x.evil.example:1",
        "c1.prod.example.com.evil.example",
        "localhost.evil.example",
        "local.evil.example",
        "svc.evil.example:19998",
        "evil.example.",
        "999.0.0.1",
        "[evil.example]",
        "[::1].evil.example",
        "[::1",
        "[]"
      })
  void refusesOtherNames(String host) {
    assertThat(names.allow(host)).isFalse();
  }

  @Test
  void acceptsARequestWithoutHost() {
    assertThat(names.allow(null)).isTrue();
    assertThat(new HostNames("").allow("evil.example")).isFalse();
  }
}
