package io.sluice.demo.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Ports of loopback for processes that keep theirs over restarts. They lie below those that common
 * systems (Linux from 32768, macOS from 49152) give to whoever asks for any port: such a port could
 * be taken while its owner is down. Thread-safe.
 */
public final class FreePorts {
  private static final int FIRST = 20_000;
  private static final int END = 32_768;

  private final RandomGenerator random;
  private final Set<Integer> given = new HashSet<>();

  public FreePorts(RandomGenerator random) {
    this.random = random;
  }

  /**
   * A port on which nobody listens now, and that this object has not given before.
   *
   * @throws IOException if none is left
   */
  public synchronized int next() throws IOException {
    int count = END - FIRST;
    int start = random.nextInt(count);
    for (int i = 0; i < count; i++) {
      int port = FIRST + (start + i) % count;
      if (!given.contains(port) && isFree(port)) {
        given.add(port);
        return port;
      }
    }
    throw new IOException(
        "no port from " + FIRST + " to " + (END - 1) + " is free on " + ClusterNode.HOST);
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getByName(ClusterNode.HOST), port));
      return true;
    } catch (IOException taken) {
      return false;
    }
  }
}
