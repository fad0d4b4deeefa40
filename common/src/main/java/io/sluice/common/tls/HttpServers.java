package io.sluice.common.tls;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** The JDK's server of pages, with TLS or without. */
public final class HttpServers {
  /** Most open connections to one server of pages; a further one is closed. */
  public static final int MAX_CONNECTIONS = 256;

  /** Most bytes of a request's headers: the longest is a proof, of a few hundred. */
  public static final int MAX_HEADER_BYTES = 32 << 10;

  private static final int MAX_HEADERS = 100;

  /**
   * What the JDK's servers put up with, in seconds, connections and bytes: of a peer that sends its
   * request a byte an hour, takes its reply as slowly, stays after it, or has headers without end;
   * and of all peers together. The JDK reads these once, with the first server of the process, and
   * takes them no other way.
   */
  private static final Map<String, String> LIMITS =
      Map.of(
          "sun.net.httpserver.maxReqTime",
          "5",
          "sun.net.httpserver.maxRspTime",
          "5",
          "sun.net.httpserver.idleInterval",
          "30",
          "sun.net.httpserver.maxReqHeaders",
          Integer.toString(MAX_HEADERS),
          "sun.net.httpserver.maxReqHeaderSize",
          Integer.toString(MAX_HEADER_BYTES),
          "jdk.httpserver.maxConnections",
          Integer.toString(MAX_CONNECTIONS));

  private HttpServers() {}

  /** Binds; the caller starts and stops it. */
  public static HttpServer create(InetSocketAddress address, int backlog, Optional<TlsContexts> tls)
      throws IOException {
    return create(address, backlog, tls, false);
  }

  /**
   * As the former.
   *
   * @param certificates whether callers are asked for certificates. Who has none is served all the
   *     same: probes have none
   */
  public static HttpServer create(
      InetSocketAddress address, int backlog, Optional<TlsContexts> tls, boolean certificates)
      throws IOException {
    LIMITS.forEach(
        (name, limit) -> {
          if (System.getProperty(name) == null) {
            System.setProperty(name, limit);
          }
        });
    if (tls.isEmpty()) {
      return HttpServer.create(address, backlog);
    }
    HttpsServer server = HttpsServer.create(address, backlog);
    SSLContext context = tls.get().https();
    server.setHttpsConfigurator(
        new HttpsConfigurator(context) {
          @Override
          public void configure(HttpsParameters parameters) {
            SSLParameters chosen = context.getDefaultSSLParameters();
            chosen.setProtocols(new String[] {"TLSv1.3"});
            chosen.setWantClientAuth(certificates);
            parameters.setSSLParameters(chosen);
          }
        });
    return server;
  }
}
