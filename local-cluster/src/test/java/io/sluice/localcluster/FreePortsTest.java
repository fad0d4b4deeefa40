package io.sluice.localcluster;

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
  void reservesNoEphemeralPortAndNoPortTwice() throws IOException {
    try (FreePorts ports = new FreePorts(new Random(1))) {
      Set<Integer> reserved = new HashSet<>();
      for (int i = 0; i < 100; i++) {
        int port = ports.next();
        assertThat(port).isBetween(20_000, 32_767);
        assertThat(reserved.add(port)).isTrue();
      }
    }
  }

  @Test
  void skipsPortOnWhichAProcessListens() throws IOException {
    int port = freedPort();
    try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"));
        FreePorts ports = new FreePorts(new Random(2), port, port + 1)) {
      assertThat(taken.isBound()).isTrue();
      assertThatThrownBy(ports::next).isInstanceOf(IOException.class);
    }
  }

  @Test
  void skipsPortReservedByAnotherInstanceUntilThatIsClosed() throws IOException {
    FreePorts first = new FreePorts(new Random(3));
    int port = first.next();
    try (FreePorts second = new FreePorts(new Random(3), port, port + 1)) {
      assertThatThrownBy(second::next).isInstanceOf(IOException.class);
      first.close();
      assertThat(second.next()).isEqualTo(port);
    }
  }

  @Test
  void failsWhenNoPortIsLeft() throws IOException {
    int port = freedPort();
    try (FreePorts ports = new FreePorts(new Random(4), port, port + 1)) {
      assertThat(ports.next()).isEqualTo(port);
      assertThatThrownBy(ports::next)
          .isInstanceOf(IOException.class)
          .hasMessage("no free port between " + port + " and " + port + " on 127.0.0.1");
    }
  }

  private static int freedPort() throws IOException {
    try (FreePorts ports = new FreePorts(new Random())) {
      return ports.next();
    }
  }
}
