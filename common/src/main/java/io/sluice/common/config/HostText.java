package io.sluice.common.config;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Text of a host: a name, an IPv4 address or an IPv6 address. Only one form of each address is used
 * in configurations, messages and server names, so that forms can be compared as text.
 */
public final class HostText {
  private static final int FIRST_OF_LINK_LOCAL = 0xfe;

  private HostText() {}

  /**
   * Returns the form of a host in which it is compared and announced. An IPv6 address has no
   * brackets, lower-case digits, and {@code ::} instead of its longest run of zeros (RFC 5952). An
   * IPv4-mapped IPv6 address becomes the IPv4 address. Names and IPv4 addresses stay as they are.
   *
   * @param text with or without brackets around an IPv6 address
   * @throws IllegalArgumentException that names the expected form; also for link-local IPv6
   *     addresses, which only exist on one network, and for addresses with a scope
   */
  public static String canonical(String text) {
    String host = text.trim();
    boolean bracketed = host.startsWith("[") && host.endsWith("]") && host.length() > 2;
    if (bracketed) {
      host = host.substring(1, host.length() - 1);
    }
    if (host.indexOf(':') < 0) {
      if (bracketed || !isName(host)) {
        throw notAHost(text);
      }
      return host;
    }
    int scope = host.indexOf('%');
    String address = scope < 0 ? host : host.substring(0, scope);
    // Netty accepts brackets, too.
    if (address.startsWith("[") || !NetUtil.isValidIpV6Address(address)) {
      throw notAHost(text);
    }
    byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address);
    if (scope >= 0 || isLinkLocal(bytes)) {
      throw new IllegalArgumentException(
          "\""
              + text
              + "\" is an IPv6 address of a single network (link-local, or with a scope such as"
              + " %eth0), which other hosts cannot use; expected a global or unique local address,"
              + " such as 2001:db8::7");
    }
    return of(bytes);
  }

  /** Returns the canonical form of an address, without its scope. */
  public static String of(InetAddress address) {
    return of(address.getAddress());
  }

  /** Returns {@code host:port}, with brackets around an IPv6 address, as in a URL. */
  public static String withPort(String host, int port) {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }

  /** Whether the host means every interface; no client can connect to such an address. */
  public static boolean isWildcard(String canonical) {
    return canonical.equals("::") || canonical.equals("0.0.0.0");
  }

  /**
   * Returns the canonical form of an address.
   *
   * @param bytes 4 or 16 bytes
   */
  public static String of(byte[] bytes) {
    try {
      // Converts IPv4-mapped addresses to IPv4.
      return NetUtil.toAddressString(InetAddress.getByAddress(bytes));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("internal error: an address of " + bytes.length + " B", e);
    }
  }

  private static boolean isName(String host) {
    return !host.isEmpty()
        && host.chars()
            .noneMatch(c -> Character.isWhitespace(c) || c == '[' || c == ']' || c == '%');
  }

  /** fe80::/10. */
  private static boolean isLinkLocal(byte[] bytes) {
    return bytes.length == 16
        && (bytes[0] & 0xff) == FIRST_OF_LINK_LOCAL
        && (bytes[1] & 0xc0) == 0x80;
  }

  private static IllegalArgumentException notAHost(String text) {
    return new IllegalArgumentException(
        "\""
            + text
            + "\" is not a host; expected a name, an IPv4 address or an IPv6 address, such as"
            + " server1, 10.0.0.7 or 2001:db8::7");
  }
}
