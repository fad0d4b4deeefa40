package io.sluice.coordinator.http;

import io.netty.util.NetUtil;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Host names that the API accepts without authentication, as a protection against DNS rebinding. In
 * this attack a foreign page changes the DNS entry of its name to the address of this process. The
 * browser then treats both as one origin. The browser still sends the name of the page as Host. The
 * API therefore accepts only hosts that cannot be registered on the Internet: IP addresses, names
 * without a dot, names below localhost, .local (RFC 6762), .internal and .svc (services of
 * Kubernetes), and the configured host. Immutable.
 */
final class HostNames {
  private static final Pattern PRIVATE = Pattern.compile(".*\\.(localhost|local|internal|svc)");

  private final String configured;

  /**
   * @param configured host name that the process listens on; empty: every interface
   */
  HostNames(String configured) {
    this.configured = lower(configured);
  }

  /**
   * Whether a request may be answered.
   *
   * @param header Host header of the request, with or without a port; null: not sent, so the client
   *     is not a browser
   */
  boolean allow(String header) {
    if (header == null) {
      return true;
    }
    if (header.startsWith("[")) {
      int end = header.indexOf(']');
      return end > 0
          && (end + 1 == header.length() || header.charAt(end + 1) == ':')
          && NetUtil.isValidIpV6Address(header.substring(1, end));
    }
    int colon = header.lastIndexOf(':');
    String host = lower(colon < 0 ? header : header.substring(0, colon));
    return host.indexOf('.') < 0
        || PRIVATE.matcher(host).matches()
        || NetUtil.isValidIpV4Address(host)
        || host.equals(configured);
  }

  private static String lower(String host) {
    String name = host.strip().toLowerCase(Locale.ROOT);
    return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
  }
}
