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

/** Too many, idle, slow or aborted connections. */
final class ConnectionAttacks {
  private static final int RESETS = 1_500;
  private static final int SLOW_CONNECTIONS = 40;
  private static final int TRICKLE_MS = 200;
  private static final int HANDSHAKES = 300;

  /** First bytes that a port expects; the rest is never sent. */
  private static final Map<Port, byte[]> BEGINNINGS =
      Map.of(
          Port.SERVER_DATA,
          Frames.of(Frames.HELLO, 1, FramePeer.hello("mallory~slow").build()),
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

  /**
   * More connections from one address than its limit, on every port; other addresses can connect.
   */
  static AutoCloseable floodOfOneAddress(Target target) throws Exception {
    OpenResources open = new OpenResources();
    for (Port port : Port.values()) {
      flood(target, open, port, limitOfAddress(port) + limitOfAddress(port) / 4, 2);
    }
    return open;
  }

  /** More connections than the limit of a port. */
  static Attack floodOfManyAddresses(Port port) {
    return target -> {
      OpenResources open = new OpenResources();
      int addresses = limit(port) / limitOfAddress(port) + 1;
      for (int i = 0; i < addresses; i++) {
        flood(target, open, port, limitOfAddress(port), 2 + i);
      }
      return open;
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

  private static void flood(Target target, OpenResources open, Port port, int count, int source) {
    for (int i = 0; i < count; i++) {
      try {
        open.add(target.connectTcp(port, source));
      } catch (IOException refused) {
        // A connection beyond the limit.
      }
    }
  }

  /** Connections that are reset immediately. */
  static AutoCloseable resets(Target target) throws Exception {
    for (Port port : Port.values()) {
      for (int i = 0; i < RESETS / Port.values().length; i++) {
        try (Socket socket = target.connectTcp(port, 2)) {
          socket.setSoLinger(true, 0);
        } catch (IOException refused) {
          // Refused while earlier connections are still open.
        }
      }
    }
    return Attack.NOTHING_OPEN;
  }

  /** Peers that send single bytes slowly; each port closes their connections after its timeout. */
  static Attack slowBeginnings(Port port) {
    return target -> {
      byte[] beginning = BEGINNINGS.get(port);
      List<Socket> sockets = new ArrayList<>();
      try (OpenResources open = new OpenResources()) {
        for (int i = 0; i < SLOW_CONNECTIONS; i++) {
          sockets.add(open.add(target.connect(port, 2)));
        }
        awaitEnd(sockets, beginning);
      }
      return Attack.NOTHING_OPEN;
    };
  }

  /** Slow peers during the TLS handshake, also on ports without TLS. */
  static Attack slowHandshakes(Port port) {
    return target -> {
      byte[] hello = clientHello();
      List<Socket> sockets = new ArrayList<>();
      try (OpenResources open = new OpenResources()) {
        for (int i = 0; i < SLOW_CONNECTIONS; i++) {
          sockets.add(open.add(target.connectTcp(port, 2)));
        }
        awaitEnd(sockets, hello);
      }
      return Attack.NOTHING_OPEN;
    };
  }

  /** TLS handshakes that are aborted after the server's expensive step. */
  static AutoCloseable abandonedHandshakes(Target target) throws Exception {
    for (Port port : Port.values()) {
      for (int i = 0; i < HANDSHAKES / Port.values().length; i++) {
        try (Socket socket = target.connectTcp(port, 2)) {
          socket.getOutputStream().write(clientHello());
          socket.getOutputStream().write(new byte[100]);
          socket.setSoLinger(true, 0);
        } catch (IOException refused) {
          // The server has closed the connection, which is a valid defence.
        }
      }
    }
    return Attack.NOTHING_OPEN;
  }

  /** Record of a ClientHello that declares more bytes than are sent. */
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

  /** Sends all but the last byte, one at a time, until the server has closed every connection. */
  private static void awaitEnd(List<Socket> sockets, byte[] bytes) throws Exception {
    List<Socket> open = new ArrayList<>(sockets);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Bounds.WAIT_SECONDS);
    for (int at = 0; !open.isEmpty() && System.nanoTime() < deadline; at++) {
      int next = at;
      open.removeIf(socket -> isEnded(socket, next < bytes.length - 1 ? bytes[next] : -1));
      // The rate of the attack, not a wait for a condition.
      TimeUnit.MILLISECONDS.sleep(TRICKLE_MS);
    }
    assertThat(open.size())
        .as("slow connections still open after %d s", Bounds.WAIT_SECONDS)
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
