package io.sluice.server;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Address on which a server listens, and host that it announces to clients and coordinators.
 *
 * @param announced host that clients connect to
 * @param bind address to listen on; empty: every interface
 */
public record HostAddress(String announced, Optional<String> bind) {
  /**
   * Chooses the address. A configured host is used to listen and to announce. Without it, the
   * server listens on every interface and announces the environment variable {@code RSS_IP}, or
   * else the first address that other machines can reach.
   *
   * @param host the configured host, or empty
   * @param rssIp value of the environment variable {@code RSS_IP}, or null
   */
  public static HostAddress choose(String host, String rssIp) {
    if (!host.isEmpty()) {
      return new HostAddress(host, Optional.of(host));
    }
    if (rssIp != null && !rssIp.isBlank()) {
      return new HostAddress(rssIp.trim(), Optional.empty());
    }
    return new HostAddress(firstReachable(), Optional.empty());
  }

  /**
   * Returns the socket address to listen on.
   *
   * @throws UnknownHostException if the host to listen on has no address
   */
  public InetSocketAddress listenOn(int port) throws UnknownHostException {
    return bind.isPresent()
        ? new InetSocketAddress(InetAddress.getByName(bind.get()), port)
        : new InetSocketAddress(port);
  }

  private static String firstReachable() {
    List<InetAddress> candidates = new ArrayList<>();
    try {
      for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
        if (network.isUp() && !network.isLoopback() && !network.isPointToPoint()) {
          candidates.addAll(Collections.list(network.getInetAddresses()));
        }
      }
    } catch (SocketException e) {
      // No interface is known: the loopback address is used.
      candidates.clear();
    }
    return candidates.stream()
        .filter(address -> !address.isLinkLocalAddress())
        .min((a, b) -> Integer.compare(rank(a), rank(b)))
        .map(InetAddress::getHostAddress)
        .orElse("127.0.0.1");
  }

  private static int rank(InetAddress address) {
    return address instanceof Inet4Address ? 0 : 1;
  }
}
