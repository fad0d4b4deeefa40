package io.sluice.common.net;

import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.config.HostText;
import java.net.URI;
import java.net.URISyntaxException;

/**
 * Builds gRPC channels that connect to their peer without a proxy. Without it, gRPC would connect
 * through the proxy of the JVM ({@code https.proxyHost}) or of the environment ({@code
 * GRPC_PROXY_EXP}). These are meant for requests to the Internet, such as those to an object store,
 * and coordinators and servers are on the internal network.
 */
public final class DirectChannel {
  private DirectChannel() {}

  /**
   * @param host name or address; an IPv6 address without brackets
   * @throws IllegalArgumentException if the host contains characters that no host has
   */
  public static NettyChannelBuilder to(String host, int port) {
    return NettyChannelBuilder.forTarget(target(HostText.withPort(host, port)).toString())
        // Callers retry with a delay. gRPC would repeat a call a thousand times, without a delay,
        // if a port refuses connections beyond its limit.
        .disableRetry()
        .proxyDetector(target -> null);
  }

  /** With the scheme, a host named as a scheme of gRPC, such as {@code unix}, is a host. */
  private static URI target(String authority) {
    try {
      // Encodes the brackets of an IPv6 address.
      return new URI("dns", "", "/" + authority, null);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("\"" + authority + "\" is not an address", e);
    }
  }
}
