package io.sluice.common.config;

/**
 * Address on which a process listens.
 *
 * @param host name or address, in the form of {@link HostText#canonical}
 * @param port 0..65535
 */
public record HostPort(String host, int port) {

  /**
   * @throws IllegalArgumentException that names the expected form
   */
  public HostPort {
    if (port < 0 || port > 65535) {
      throw new IllegalArgumentException(
          "\"" + host + ":" + port + "\" is not an address; expected host:port, port 0..65535");
    }
    host = HostText.canonical(host);
  }

  /**
   * Reads {@code host:port} or {@code [v6]:port}.
   *
   * @throws IllegalArgumentException that names the expected form
   */
  public static HostPort parse(String text) {
    String stripped = text.trim();
    int colon = stripped.lastIndexOf(':');
    String host = colon < 0 ? "" : stripped.substring(0, colon);
    String port = stripped.substring(colon + 1);
    boolean isAddress = host.startsWith("[") && host.endsWith("]") && host.indexOf(':') >= 0;
    boolean isName =
        !host.isEmpty()
            && host.chars()
                .noneMatch(c -> Character.isWhitespace(c) || c == '[' || c == ']' || c == ':');
    if (!(isAddress || isName) || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65535) {
      throw new IllegalArgumentException(
          "\""
              + text
              + "\" is not an address; expected host:port, such as coordinator1:19999 or"
              + " [2001:db8::7]:19999");
    }
    return new HostPort(host, Integer.parseInt(port));
  }

  @Override
  public String toString() {
    return HostText.withPort(host, port);
  }
}
