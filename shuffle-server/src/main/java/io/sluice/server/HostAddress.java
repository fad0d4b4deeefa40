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
 * Where a server listens and what name it gives to others.
 *
 * @param announced host that clients connect to
 * @param bind address to listen on; empty: every interface
 */
public record HostAddress(String announced, Optional<String> bind) {
  /**
   * Chooses the address: the configured host is listened on and announced; else the server listens
   * on every interface and announces {@code RSS_IP} of the environment or, without it, the first
   * address that another machine can reach.
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
   * A socket address to listen on.
   *
   * @throws UnknownHostException the host to listen on has no address
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
      // No interfaces to choose from: the loopback address below.
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
