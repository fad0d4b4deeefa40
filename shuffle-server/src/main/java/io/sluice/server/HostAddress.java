package io.sluice.server;

import io.sluice.common.config.ConfigException;
import io.sluice.common.config.HostText;
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
import java.util.function.Supplier;

/**
 * Address on which a server listens, and host that it announces to clients and coordinators.
 *
 * @param announced host that clients connect to
 * @param bind address to listen on; empty: every interface
 */
public record HostAddress(String announced, Optional<String> bind) {
  private static final String LOOPBACK = "127.0.0.1";

  /** Chooses the address on this machine. */
  public static HostAddress choose(String host, String rssIp) {
    return choose(host, rssIp, HostAddress::ownAddresses);
  }

  /**
   * Chooses the address. A configured host is used to listen and to announce. Without it, and if it
   * means every interface, the server announces the environment variable {@code RSS_IP}, or else
   * the first address that other machines can reach: IPv4 before IPv6, never a link-local one.
   *
   * @param host the configured host in canonical form, or empty
   * @param rssIp value of the environment variable {@code RSS_IP}, or null
   * @param own addresses of this machine that are not loopback addresses
   * @throws ConfigException if {@code RSS_IP} is not a host that clients can connect to
   */
  static HostAddress choose(String host, String rssIp, Supplier<List<InetAddress>> own) {
    if (!host.isEmpty() && !HostText.isWildcard(host)) {
      return new HostAddress(host, Optional.of(host));
    }
    Optional<String> bind = host.isEmpty() ? Optional.empty() : Optional.of(host);
    if (rssIp != null && !rssIp.isBlank()) {
      return new HostAddress(announced(rssIp), bind);
    }
    return new HostAddress(firstReachable(own.get()), bind);
  }

  private static String announced(String rssIp) {
    String host;
    try {
      host = HostText.canonical(rssIp);
    } catch (IllegalArgumentException e) {
      throw new ConfigException(List.of("RSS_IP: " + e.getMessage()));
    }
    if (HostText.isWildcard(host)) {
      throw new ConfigException(
          List.of("RSS_IP: " + host + " means every interface; expected the address to announce"));
    }
    return host;
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

  /** Warning if no other machine can reach a server that listens for them; empty if one can. */
  Optional<String> warning() {
    return announced.equals(LOOPBACK) && !bind.equals(Optional.of(LOOPBACK))
        ? Optional.of(
            "the server announces "
                + LOOPBACK
                + ", which clients on other hosts cannot reach; set rss.server.host or RSS_IP to"
                + " an address of this machine")
        : Optional.empty();
  }

  private static List<InetAddress> ownAddresses() {
    List<InetAddress> own = new ArrayList<>();
    try {
      for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
        if (network.isUp() && !network.isLoopback() && !network.isPointToPoint()) {
          own.addAll(Collections.list(network.getInetAddresses()));
        }
      }
    } catch (SocketException e) {
      // No interface is known: the loopback address is used.
      own.clear();
    }
    return own;
  }

  private static String firstReachable(List<InetAddress> own) {
    return own.stream()
        .filter(address -> !address.isLinkLocalAddress())
        .min((a, b) -> Integer.compare(rank(a), rank(b)))
        // Without the scope that Java adds to addresses of an interface.
        .map(HostText::of)
        .orElse(LOOPBACK);
  }

  private static int rank(InetAddress address) {
    return address instanceof Inet4Address ? 0 : 1;
  }
}
