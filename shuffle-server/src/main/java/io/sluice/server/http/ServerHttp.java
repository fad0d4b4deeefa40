package io.sluice.server.http;

import io.netty.handler.ssl.SslContext;
import io.prometheus.client.CollectorRegistry;
import io.sluice.common.net.AcceptLimit;
import io.sluice.metrics.MetricsText;
import io.sluice.metrics.http.HttpAnswer;
import io.sluice.metrics.http.HttpCall;
import io.sluice.metrics.http.HttpPort;
import io.sluice.metrics.http.HttpTimeouts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Serves {@code /metrics} (Prometheus text), {@code /healthz} (200 while the process runs) and
 * {@code /readyz}. The last one returns 200 if the server accepts work, otherwise 503 and one line
 * with the reason.
 */
public final class ServerHttp implements AutoCloseable {
  private final CollectorRegistry registry;
  private final Supplier<Optional<String>> notReady;
  private final HttpPort port;

  private ServerHttp(
      Optional<SslContext> tls,
      AcceptLimit limit,
      HttpTimeouts timeouts,
      InstantSource clock,
      CollectorRegistry registry,
      Supplier<Optional<String>> notReady) {
    this.registry = registry;
    this.notReady = notReady;
    this.port =
        new HttpPort(
            "http",
            tls,
            limit,
            timeouts,
            clock,
            call -> CompletableFuture.completedStage(page(call)));
  }

  /**
   * Binds and serves.
   *
   * @param tls TLS context; empty for plain text
   * @param limit connection limit
   * @param notReady reason why the server accepts no work; empty if it accepts work
   */
  public static ServerHttp start(
      InetSocketAddress address,
      Optional<SslContext> tls,
      AcceptLimit limit,
      HttpTimeouts timeouts,
      InstantSource clock,
      CollectorRegistry registry,
      Supplier<Optional<String>> notReady)
      throws IOException {
    ServerHttp endpoint = new ServerHttp(tls, limit, timeouts, clock, registry, notReady);
    endpoint.port.start(address);
    return endpoint;
  }

  public int port() {
    return port.port();
  }

  private HttpAnswer page(HttpCall call) {
    if (call.changes()) {
      return HttpAnswer.text(405, "method not allowed, use GET or HEAD\n");
    }
    return switch (call.path()) {
      case "/metrics" -> metrics(call);
      case "/healthz" -> HttpAnswer.text(200, "ok\n");
      case "/readyz" ->
          notReady
              .get()
              .map(why -> HttpAnswer.text(503, "not ready: " + why + "\n"))
              .orElseGet(() -> HttpAnswer.text(200, "ready\n"));
      default -> HttpAnswer.text(404, "not found, available pages: /metrics, /healthz, /readyz\n");
    };
  }

  private HttpAnswer metrics(HttpCall call) {
    try {
      MetricsText metrics = MetricsText.of(registry, call.header("Accept"));
      return HttpAnswer.of(
          200, metrics.contentType(), metrics.text().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e); // Writing to memory does not fail.
    }
  }

  @Override
  public void close() {
    port.close();
  }
}
