package io.sluice.common.config;

/**
 * Address on which a process listens.
 *
 * @param host name or address; an IPv6 address without brackets
 * @param port 0..65535
 */
public record HostPort(String host, int port) {

  public HostPort {
    if (host.isEmpty() || port < 0 || port > 65535) {
      throw new IllegalArgumentException(
          "\"" + host + ":" + port + "\" is not an address; expected host:port, port 0..65535");
    }
  }

  /**
   * Reads {@code host:port} or {@code [v6]:port}.
   *
   * @throws IllegalArgumentException that names the expected form
   */
  public static HostPort parse(String text) {
    String stripped = text.strip();
    int colon = stripped.lastIndexOf(':');
    String host = colon < 0 ? "" : stripped.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.contains(":")) {
      host = "";
    }
    String port = stripped.substring(colon + 1);
    boolean named =
        !host.isEmpty()
            && host.chars().noneMatch(c -> Character.isWhitespace(c) || c == '[' || c == ']');
    if (!named || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65535) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not an address; expected host:port, such as coordinator1:19999");
    }
    return new HostPort(host, Integer.parseInt(port));
  }

  @Override
  public String toString() {
    return host.contains(":") ? "[" + host + "]:" + port : host + ":" + port;
  }
}
