package io.sluice.common.tls;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** The JDK's server of pages, with TLS or without. */
public final class HttpServers {
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
