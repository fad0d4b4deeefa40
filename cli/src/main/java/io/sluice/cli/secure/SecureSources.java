package io.sluice.cli.secure;

import io.sluice.common.config.HostText;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Time, randomness and machine of {@code sluice secure}.
 *
 * @param thisHost names and addresses at which this machine can be reached
 */
public record SecureSources(Clock clock, SecureRandom random, Hosts thisHost) {

  /** Maximum number of hosts in a certificate. */
  private static final int MAX_HOSTS = 32;

  /** Names and addresses of a machine. */
  @FunctionalInterface
  public interface Hosts {
    List<String> read() throws IOException;
  }

  /** Sources of this process and machine. */
  public static SecureSources ofMachine() {
    return new SecureSources(Clock.systemUTC(), new SecureRandom(), SecureSources::ofInterfaces);
  }

  /** Loopback, the name of the machine, and its global addresses. */
  private static List<String> ofInterfaces() throws SocketException {
    Set<String> found = new LinkedHashSet<>(List.of("localhost", "127.0.0.1", "::1"));
    try {
      found.add(InetAddress.getLocalHost().getHostName());
    } catch (UnknownHostException e) {
      // The name has no address, so no other process can use it.
    }
    List<NetworkInterface> interfaces = NetworkInterface.networkInterfaces().toList();
    for (NetworkInterface one : interfaces) {
      for (InterfaceAddress address : new ArrayList<>(one.getInterfaceAddresses())) {
        InetAddress own = address.getAddress();
        if (!own.isLinkLocalAddress() && !own.isLoopbackAddress()) {
          found.add(HostText.of(own));
        }
      }
    }
    return found.stream().limit(MAX_HOSTS).toList();
  }
}
