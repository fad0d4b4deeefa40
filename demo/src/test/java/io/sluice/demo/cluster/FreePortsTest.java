package io.sluice.demo.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FreePortsTest {
  @Test
  void givesNoPortThatTheSystemHandsOutAndNoneTwice() throws IOException {
    FreePorts ports = new FreePorts(new Random(1));
    Set<Integer> given = new HashSet<>();
    for (int i = 0; i < 500; i++) {
      int port = ports.next();
      assertThat(port).isBetween(20_000, 32_767);
      assertThat(given.add(port)).isTrue();
    }
  }

  @Test
  void passesOverAPortOnWhichSomebodyListens() throws IOException {
    int port = new FreePorts(new Random(2)).next();
    try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"))) {
      assertThat(new FreePorts(new Random(2)).next()).isNotEqualTo(taken.getLocalPort());
    }
  }

  @Test
  void saysWhenNoneIsLeft() {
    FreePorts ports = new FreePorts(new Random(3));
    assertThatThrownBy(
            () -> {
              for (int i = 20_000; i <= 32_768; i++) {
                ports.next();
              }
            })
        .isInstanceOf(IOException.class)
        .hasMessage("no port from 20000 to 32767 is free on 127.0.0.1");
  }
}
