package io.sluice.coordinator.http;

import io.netty.util.NetUtil;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The names by which a browser may reach an API that asks for no proof. A page from elsewhere whose
 * own name is made to mean this process's address (DNS rebinding) counts as a page of this process
 * for a browser, but the browser sends that page's name as Host. So the API accepts only hosts that
 * cannot be registered on the Internet: addresses, names without a dot, names below localhost,
 * .local (RFC 6762), .internal and .svc (services of Kubernetes), and the configured host.
 * Immutable.
 */
final class HostNames {
  private static final Pattern PRIVATE = Pattern.compile(".*\\.(localhost|local|internal|svc)");

  private final String configured;

  /**
   * @param configured the host that the process listens on; empty: every interface
   */
  HostNames(String configured) {
    this.configured = lower(configured);
  }

  /**
   * Whether a request may be answered.
   *
   * @param header Host of the request, with or without a port; null: no browser sent it
   */
  boolean allow(String header) {
    if (header == null || header.startsWith("[")) {
      return true;
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
