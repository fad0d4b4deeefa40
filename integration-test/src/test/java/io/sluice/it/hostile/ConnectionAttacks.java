package io.sluice.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Connections: too many, silent, slow, or broken off. */
final class ConnectionAttacks {
  private static final int RESETS = 1_500;
  private static final int SLOW_CONNECTIONS = 40;
  private static final int TRICKLE_MS = 200;
  private static final int HANDSHAKES = 300;

  /** First bytes of what a port waits for; the rest never comes. */
  private static final Map<Port, byte[]> BEGINNINGS =
      Map.of(
          Port.SERVER_DATA,
          Frames.of(Frames.HELLO, 1, FramePeer.hello("mallory.slow").build()),
          Port.SERVER_RPC,
          ascii("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
          Port.COORDINATOR_RPC,
          ascii("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
          Port.SERVER_HTTP,
          ascii(
              "GET /metrics HTTP/1.1\r\nHost: localhost\r\nX-Slow: aaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
          Port.COORDINATOR_HTTP,
          ascii(
              "POST /api/v1/x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                  + "Content-Length: 1000\r\n\r\n{"));

  private ConnectionAttacks() {}

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** More connections from one address than it may have, on every port; the rest have places. */
  static AutoCloseable floodOfOneAddress(Target target) throws Exception {
    Held held = new Held();
    for (Port port : Port.values()) {
      flood(target, held, port, limitOfAddress(port) + limitOfAddress(port) / 4, 2);
    }
    return held;
  }

  /** More connections than a port has places for. */
  static Attack floodOfManyAddresses(Port port) {
    return target -> {
      Held held = new Held();
      int addresses = limit(port) / limitOfAddress(port) + 1;
      for (int i = 0; i < addresses; i++) {
        flood(target, held, port, limitOfAddress(port), 2 + i);
      }
      return held;
    };
  }

  private static int limit(Port port) {
    return switch (port) {
      case SERVER_DATA, SERVER_RPC, COORDINATOR_RPC -> HostileCluster.MAX_CONNECTIONS;
      case SERVER_HTTP, COORDINATOR_HTTP -> HostileCluster.MAX_HTTP_CONNECTIONS;
    };
  }

  private static int limitOfAddress(Port port) {
    return switch (port) {
      case SERVER_DATA, SERVER_RPC, COORDINATOR_RPC -> HostileCluster.MAX_CONNECTIONS_PER_ADDRESS;
      case SERVER_HTTP, COORDINATOR_HTTP -> HostileCluster.MAX_HTTP_CONNECTIONS_PER_ADDRESS;
    };
  }

  private static void flood(Target target, Held held, Port port, int count, int source) {
    for (int i = 0; i < count; i++) {
      try {
        held.add(target.connectTcp(port, source));
      } catch (IOException refused) {
        // One of those beyond the limit.
      }
    }
  }

  /** Connections that end by a reset as soon as they are made. */
  static AutoCloseable resets(Target target) throws Exception {
    for (Port port : Port.values()) {
      for (int i = 0; i < RESETS / Port.values().length; i++) {
        try (Socket socket = target.connectTcp(port, 2)) {
          socket.setSoLinger(true, 0);
        } catch (IOException refused) {
          // While earlier ones are not gone yet.
        }
      }
    }
    return Attack.NOTHING_HELD;
  }

  /** Peers that send a byte now and then; each port ends them in its time. */
  static Attack slowBeginnings(Port port) {
    return target -> {
      byte[] beginning = BEGINNINGS.get(port);
      List<Socket> sockets = new ArrayList<>();
      try (Held held = new Held()) {
        for (int i = 0; i < SLOW_CONNECTIONS; i++) {
          sockets.add(held.add(target.connect(port, 2)));
        }
        awaitEnd(sockets, beginning);
      }
      return Attack.NOTHING_HELD;
    };
  }

  /** The same inside the handshake of TLS, or with its bytes where no TLS is spoken. */
  static Attack slowHandshakes(Port port) {
    return target -> {
      byte[] hello = clientHello();
      List<Socket> sockets = new ArrayList<>();
      try (Held held = new Held()) {
        for (int i = 0; i < SLOW_CONNECTIONS; i++) {
          sockets.add(held.add(target.connectTcp(port, 2)));
        }
        awaitEnd(sockets, hello);
      }
      return Attack.NOTHING_HELD;
    };
  }

  /** Handshakes that are begun, cost the server its part, and are given up. */
  static AutoCloseable abandonedHandshakes(Target target) throws Exception {
    for (Port port : Port.values()) {
      for (int i = 0; i < HANDSHAKES / Port.values().length; i++) {
        try (Socket socket = target.connectTcp(port, 2)) {
          socket.getOutputStream().write(clientHello());
          socket.getOutputStream().write(new byte[100]);
          socket.setSoLinger(true, 0);
        } catch (IOException refused) {
          // So much the better.
        }
      }
    }
    return Attack.NOTHING_HELD;
  }

  /** Record of a ClientHello that promises more bytes than ever come. */
  private static byte[] clientHello() {
    byte[] hello = new byte[200];
    hello[0] = 22;
    hello[1] = 3;
    hello[2] = 1;
    hello[3] = 2;
    hello[5] = 1;
    hello[7] = 1;
    hello[8] = (byte) 0xfc;
    hello[9] = 3;
    hello[10] = 3;
    return hello;
  }

  /** Sends all but the last byte, one at a time, until the server has ended every connection. */
  private static void awaitEnd(List<Socket> sockets, byte[] bytes) throws Exception {
    List<Socket> open = new ArrayList<>(sockets);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Bounds.WAIT_SECONDS);
    for (int at = 0; !open.isEmpty() && System.nanoTime() < deadline; at++) {
      int next = at;
      open.removeIf(socket -> isEnded(socket, next < bytes.length - 1 ? bytes[next] : -1));
      // The pace of the attack, not a wait for something.
      TimeUnit.MILLISECONDS.sleep(TRICKLE_MS);
    }
    assertThat(open.size())
        .as("connections that the server lets go on slowly for %d s", Bounds.WAIT_SECONDS)
        .isZero();
  }

  /**
   * @param next byte to send, or -1 for none
   */
  private static boolean isEnded(Socket socket, int next) {
    try {
      socket.setSoTimeout(1);
      if (socket.getInputStream().read() < 0) {
        return true;
      }
    } catch (SocketTimeoutException silent) {
      // Still open.
    } catch (IOException ended) {
      return true;
    }
    try {
      if (next >= 0) {
        socket.getOutputStream().write(next);
        socket.getOutputStream().flush();
      }
      return false;
    } catch (SocketException ended) {
      return true;
    } catch (IOException ended) {
      return true;
    }
  }
}
