package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.config.HostPort;
import io.sluice.server.cluster.LogLines;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The warning about missing authentication looks at one address, so every port must use it. */
@Timeout(60)
class ServerHostTest {
  @TempDir Path directory;

  private static void assertListensOnlyOn(String host, String other, int port) throws IOException {
    try (Socket connected = new Socket(host, port)) {
      assertThat(connected.isConnected()).isTrue();
    }
    assertThatThrownBy(() -> new Socket(other, port).close()).isInstanceOf(ConnectException.class);
  }

  @Test
  void everyPortListensOnTheConfiguredAddressOnly() throws Exception {
    try (LogLines log = new LogLines(ShuffleServerProcess.class);
        ShuffleServerProcess server =
            ShuffleServerProcess.start(
                TestServers.config(
                    new HostPort("127.0.0.1", 1),
                    directory,
                    Map.of("rss.server.host", "127.0.0.2")))) {
      assertListensOnlyOn("127.0.0.2", "127.0.0.1", server.rpcPort());
      assertListensOnlyOn("127.0.0.2", "127.0.0.1", server.nettyPort());
      assertListensOnlyOn("127.0.0.2", "127.0.0.1", server.httpPort());
      assertThat(log.lines()).noneMatch(line -> line.contains("authentication is off"));
    }
  }
}
