package io.sluice.cli;

import io.sluice.common.config.HostText;
import io.sluice.common.tls.TlsConfig;
import io.sluice.common.tls.TlsContexts;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.Proxy;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import javax.net.ssl.HttpsURLConnection;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice health}: a health probe with TLS support, for the container image. */
@Command(
    name = "health",
    description = {
      "Request the health of the coordinator or server on this machine from its HTTP port.",
      "With --tls, the environment variable RSS_TLS_TRUST_FILE names the file with the "
          + "trusted certificates."
    },
    exitCodeList = {"0:healthy", "1:not healthy, or no answer", "2:wrong usage"})
final class HealthCommand implements Callable<Integer> {
  private static final String TRUST_VARIABLE = "RSS_TLS_TRUST_FILE";
  private static final int OK = 200;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "19998",
      description = "HTTP port of the process; default ${DEFAULT-VALUE}.")
  private int port;

  @Option(names = "--tls", description = "Connect with TLS.")
  private boolean tls;

  @Option(
      names = "--ready",
      description = "Request /readyz (ready for clients) instead of /healthz (alive).")
  private boolean ready;

  @Option(
      names = "--timeout-ms",
      paramLabel = "MS",
      defaultValue = "5000",
      description =
          "Timeout for connecting, and timeout for the answer, in milliseconds; default "
              + "${DEFAULT-VALUE}.")
  private int timeoutMs;

  @Override
  public Integer call() throws IOException {
    String address = HostText.of(InetAddress.getLoopbackAddress());
    URI page =
        URI.create(
            (tls ? "https://" : "http://")
                + HostText.withPort(address, port)
                + (ready ? "/readyz" : "/healthz"));
    HttpURLConnection connection = (HttpURLConnection) page.toURL().openConnection(Proxy.NO_PROXY);
    try {
      connection.setConnectTimeout(timeoutMs);
      connection.setReadTimeout(timeoutMs);
      if (connection instanceof HttpsURLConnection https) {
        https.setSSLSocketFactory(contexts().https().getSocketFactory());
        // The certificate has the host name, not the loopback address; loopback needs no check.
        https.setHostnameVerifier((host, session) -> true);
      }
      int status = connection.getResponseCode();
      if (status != OK) {
        throw new IOException(page + " answered HTTP " + status);
      }
      return 0;
    } catch (IOException e) {
      throw e.getMessage() != null && e.getMessage().startsWith(page.toString())
          ? e
          : new IOException(page + ": " + e.getMessage(), e);
    } finally {
      connection.disconnect();
    }
  }

  private static TlsContexts contexts() throws IOException {
    Optional<Path> trust = Optional.ofNullable(System.getenv(TRUST_VARIABLE)).map(Path::of);
    TlsConfig config =
        new TlsConfig(
            true,
            Optional.empty(),
            Optional.empty(),
            trust,
            TlsConfig.ClientCertificates.NONE,
            Optional.empty());
    return TlsContexts.of(config, false, System::nanoTime).orElseThrow();
  }
}
