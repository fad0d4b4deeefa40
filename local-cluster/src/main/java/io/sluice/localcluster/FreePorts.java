package io.sluice.localcluster;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Reserves loopback TCP ports for processes that keep their port over restarts. The ports are below
 * the ephemeral range (Linux from 32768, macOS from 49152), because the kernel may assign an
 * ephemeral port to another process during a restart. Binding the UDP port of the same number
 * reserves a port against other instances, also of other processes; the kernel releases it when
 * this process ends. Thread-safe.
 */
public final class FreePorts implements AutoCloseable {
  private static final int FIRST = 20_000;
  private static final int END = 32_768;

  private final RandomGenerator random;
  private final int first;
  private final int end;
  private final List<DatagramSocket> reservations = new ArrayList<>();

  public FreePorts(RandomGenerator random) {
    this(random, FIRST, END);
  }

  FreePorts(RandomGenerator random, int first, int end) {
    this.random = random;
    this.first = first;
    this.end = end;
  }

  /**
   * Reserves a port on which no process listens now.
   *
   * @throws IOException if no port is left
   */
  public synchronized int next() throws IOException {
    int count = end - first;
    int start = random.nextInt(count);
    for (int i = 0; i < count; i++) {
      int port = first + (start + i) % count;
      if (reserve(port)) {
        return port;
      }
    }
    throw new IOException(
        "no free port between " + first + " and " + (end - 1) + " on " + ClusterNode.HOST);
  }

  private boolean reserve(int port) throws IOException {
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getByName(ClusterNode.HOST), port);
    DatagramSocket reservation = new DatagramSocket(null);
    try {
      reservation.bind(address);
      try (ServerSocket socket = new ServerSocket()) {
        socket.bind(address);
      }
      reservations.add(reservation);
      return true;
    } catch (IOException taken) {
      reservation.close();
      return false;
    }
  }

  /** Ends all reservations. */
  @Override
  public synchronized void close() {
    reservations.forEach(DatagramSocket::close);
    reservations.clear();
  }
}
