package io.sluice.server.cluster;

/** Where a coordinator listens. */
public record CoordinatorAddress(String host, int port) {
  /** {@code host:port}, with an IPv6 address in brackets. */
  public String text() {
    return host.contains(":") ? "[" + host + "]:" + port : host + ":" + port;
  }

  @Override
  public String toString() {
    return text();
  }
}
