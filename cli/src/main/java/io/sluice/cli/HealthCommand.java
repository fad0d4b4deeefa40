package io.sluice.cli;

import io.sluice.common.tls.TlsConfig;
import io.sluice.common.tls.TlsContexts;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import javax.net.ssl.HttpsURLConnection;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code sluice health}: a probe for where nothing else speaks TLS, such as the image's health
 * check.
 */
@Command(
    name = "health",
    description = {
      "Ask the HTTP port of a coordinator or server on this machine whether it is well.",
      "With --tls, RSS_TLS_TRUST_FILE in the environment names the authorities to trust."
    },
    exitCodeList = {"0:it is", "1:it is not, or does not answer", "2:wrong usage"})
final class HealthCommand implements Callable<Integer> {
  private static final String TRUST_VARIABLE = "RSS_TLS_TRUST_FILE";
  private static final int OK = 200;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "19998",
      description = "The HTTP port; default ${DEFAULT-VALUE}.")
  private int port;

  @Option(names = "--tls", description = "The port speaks TLS.")
  private boolean tls;

  @Option(names = "--ready", description = "Ask /readyz instead of /healthz.")
  private boolean ready;

  @Option(
      names = "--timeout-ms",
      paramLabel = "MS",
      defaultValue = "5000",
      description =
          "Patience with the connection, and again with the answer; default ${DEFAULT-VALUE}.")
  private int timeoutMs;

  @Override
  public Integer call() throws IOException {
    String address = InetAddress.getLoopbackAddress().getHostAddress();
    URI page =
        URI.create(
            (tls ? "https://" : "http://")
                + address
                + ":"
                + port
                + (ready ? "/readyz" : "/healthz"));
    HttpURLConnection connection = (HttpURLConnection) page.toURL().openConnection();
    try {
      connection.setConnectTimeout(timeoutMs);
      connection.setReadTimeout(timeoutMs);
      if (connection instanceof HttpsURLConnection https) {
        https.setSSLSocketFactory(contexts().https().getSocketFactory());
        // A certificate names the machine as others call it, and nobody stands in between here.
        https.setHostnameVerifier((host, session) -> true);
      }
      int status = connection.getResponseCode();
      if (status != OK) {
        throw new IOException(page + " answered " + status);
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
