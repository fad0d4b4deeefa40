package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.config.ConfigSet;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The warning about missing authentication looks at one address, so every port must use it. */
@Timeout(60)
class CoordinatorHostTest {
  private static void assertListensOnlyOn(String host, String other, int port) throws IOException {
    try (Socket connected = new Socket(host, port)) {
      assertThat(connected.isConnected()).isTrue();
    }
    assertThatThrownBy(() -> new Socket(other, port).close()).isInstanceOf(ConnectException.class);
  }

  @Test
  void everyPortListensOnTheConfiguredAddressOnly() throws Exception {
    try (CoordinatorProcess coordinator =
        CoordinatorProcess.start(
            ConfigSet.of(
                CoordinatorConfig.SCHEMA,
                Map.of(
                    "rss.coordinator.host", "127.0.0.2",
                    "rss.rpc.server.port", "0",
                    "rss.jetty.http.port", "0")))) {
      assertListensOnlyOn("127.0.0.2", "127.0.0.1", coordinator.rpcPort());
      assertListensOnlyOn("127.0.0.2", "127.0.0.1", coordinator.httpPort());
    }
  }
}
