package io.sluice.server.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.prometheus.client.CollectorRegistry;
import io.sluice.common.threads.DaemonThreads;
import io.sluice.common.tls.HttpServers;
import io.sluice.common.tls.TlsContexts;
import io.sluice.metrics.MetricsText;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * Serves {@code /metrics} (Prometheus text), {@code /healthz} (the process runs) and {@code
 * /readyz} (it takes work, or 503 and one line that says why not).
 */
public final class HttpEndpoint implements AutoCloseable {
  /** Some of them wait for peers that send their requests slowly, for seconds at most. */
  private static final int THREADS = 16;

  private static final int BACKLOG = 64;

  private final HttpServer server;
  private final ExecutorService executor;

  private HttpEndpoint(HttpServer server, ExecutorService executor) {
    this.server = server;
    this.executor = executor;
  }

  /**
   * Binds and serves.
   *
   * @param notReady why the server takes no work; empty when it does
   */
  public static HttpEndpoint start(
      InetSocketAddress address,
      Optional<TlsContexts> tls,
      CollectorRegistry registry,
      Supplier<Optional<String>> notReady)
      throws IOException {
    HttpServer server = HttpServers.create(address, BACKLOG, tls);
    ExecutorService executor =
        Executors.newFixedThreadPool(THREADS, DaemonThreads.numbered("http"));
    server.setExecutor(executor);
    server.createContext("/metrics", exchange -> metrics(exchange, registry));
    server.createContext("/healthz", exchange -> text(exchange, 200, "ok\n"));
    server.createContext(
        "/readyz",
        exchange -> {
          Optional<String> reason = notReady.get();
          text(
              exchange,
              reason.isPresent() ? 503 : 200,
              reason.map(why -> "not ready: " + why + "\n").orElse("ready\n"));
        });
    server.createContext(
        "/", exchange -> text(exchange, 404, "there are /metrics, /healthz and /readyz\n"));
    server.start();
    return new HttpEndpoint(server, executor);
  }

  public int port() {
    return server.getAddress().getPort();
  }

  private static void metrics(HttpExchange exchange, CollectorRegistry registry)
      throws IOException {
    MetricsText metrics = MetricsText.of(registry, exchange.getRequestHeaders().getFirst("Accept"));
    respond(exchange, 200, metrics.contentType(), metrics.text());
  }

  private static void text(HttpExchange exchange, int code, String page) throws IOException {
    respond(exchange, code, "text/plain; charset=utf-8", page);
  }

  private static void respond(HttpExchange exchange, int code, String type, String page)
      throws IOException {
    try (exchange) {
      byte[] bytes = page.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", type);
      if (exchange.getRequestMethod().equals("HEAD")) {
        exchange.sendResponseHeaders(code, -1);
      } else {
        exchange.sendResponseHeaders(code, bytes.length);
        exchange.getResponseBody().write(bytes);
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
    executor.shutdownNow();
  }
}
