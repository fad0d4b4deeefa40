package io.sluice.server;

import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.config.HostText;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/** Opens ports. A failure is reported in one line with its reason and its remedy. */
final class Ports {
  /** Opens a port at an address. */
  interface Opening<T> {
    T at(InetSocketAddress address) throws IOException;
  }

  private static final String HOST_KEY = "rss.server.host";

  private Ports() {}

  /**
   * Opens a port on this host.
   *
   * @param key configuration key of the port, for the error message
   */
  static <T> T open(HostAddress host, String key, int port, Opening<T> opening)
      throws StartException {
    try {
      return opening.at(address(host, port));
    } catch (StartException e) {
      throw e;
    } catch (IOException e) {
      throw new StartException(
          key
              + ": cannot listen on "
              + HostText.withPort(host.bind().orElse("*"), port)
              + ": "
              + root(e).getMessage()
              + "; set a free port, or 0 for any free port",
          e);
    }
  }

  /**
   * Returns a security warning about the ports of this host, for the operator; empty if there is
   * none.
   */
  static Optional<String> warning(HostAddress host, ClusterSecurity security)
      throws StartException {
    return security.warning(address(host, 0).getAddress(), HOST_KEY);
  }

  private static InetSocketAddress address(HostAddress host, int port) throws StartException {
    try {
      return host.listenOn(port);
    } catch (UnknownHostException e) {
      throw new StartException(
          HOST_KEY
              + ": "
              + host.announced()
              + " cannot be resolved; set a host name or address of this machine",
          e);
    }
  }

  private static Throwable root(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }
}
