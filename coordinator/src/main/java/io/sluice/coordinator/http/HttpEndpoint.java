package io.sluice.coordinator.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.exporter.common.TextFormat;
import io.sluice.common.tls.HttpServers;
import io.sluice.common.tls.TlsContexts;
import java.io.IOException;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Serves {@code /metrics}, {@code /healthz} (is the process working?) and {@code /readyz} (should
 * it be given work?). Any other path is 404, any other method than GET and HEAD is 405.
 */
public final class HttpEndpoint implements AutoCloseable {
  private static final int THREADS = 2;
  private static final int BACKLOG = 64;

  /** The names under which the JDK's server takes the longest time of a request and a reply. */
  private static final List<String> TIME_LIMITS =
      List.of("sun.net.httpserver.maxReqTime", "sun.net.httpserver.maxRspTime");

  private static final String TIME_LIMIT_SECONDS = "5";
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int METHOD_NOT_ALLOWED = 405;
  private static final int UNAVAILABLE = 503;

  private final HttpServer server;
  private final ExecutorService executor;
  private final CollectorRegistry registry;
  private final BooleanSupplier healthy;
  private final BooleanSupplier ready;

  /**
   * Binds the address; requests are served from {@link #start} on.
   *
   * @throws IOException if the address cannot be bound
   */
  public HttpEndpoint(
      InetSocketAddress address,
      Optional<TlsContexts> tls,
      CollectorRegistry registry,
      BooleanSupplier healthy,
      BooleanSupplier ready)
      throws IOException {
    this.registry = registry;
    this.healthy = healthy;
    this.ready = ready;
    // Two peers that send their requests a byte an hour must not keep the probes from being
    // answered.
    // The JDK reads the limits once, with the first server of the process, and takes them no other
    // way.
    for (String limit : TIME_LIMITS) {
      if (System.getProperty(limit) == null) {
        System.setProperty(limit, TIME_LIMIT_SECONDS);
      }
    }
    this.server = HttpServers.create(address, BACKLOG, tls);
    AtomicInteger threadNumber = new AtomicInteger();
    this.executor =
        Executors.newFixedThreadPool(
            THREADS,
            task -> {
              Thread thread =
                  new Thread(task, "coordinator-http-" + threadNumber.getAndIncrement());
              thread.setDaemon(true);
              return thread;
            });
    server.setExecutor(executor);
    server.createContext("/", this::handle);
  }

  public void start() {
    server.start();
  }

  public int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    executor.shutdownNow();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String method = exchange.getRequestMethod();
      if (!method.equals("GET") && !method.equals("HEAD")) {
        answer(exchange, METHOD_NOT_ALLOWED, "only GET and HEAD are understood\n");
        return;
      }
      switch (exchange.getRequestURI().getPath()) {
        case "/metrics" -> metrics(exchange);
        case "/healthz" -> probe(exchange, healthy.getAsBoolean());
        case "/readyz" -> probe(exchange, healthy.getAsBoolean() && ready.getAsBoolean());
        default ->
            answer(exchange, NOT_FOUND, "no such page: /metrics, /healthz and /readyz are there\n");
      }
    }
  }

  private void metrics(HttpExchange exchange) throws IOException {
    String type = TextFormat.chooseContentType(exchange.getRequestHeaders().getFirst("Accept"));
    StringWriter text = new StringWriter();
    TextFormat.writeFormat(type, text, registry.metricFamilySamples());
    exchange.getResponseHeaders().set("Content-Type", type);
    send(exchange, OK, text.toString());
  }

  private static void probe(HttpExchange exchange, boolean good) throws IOException {
    answer(exchange, good ? OK : UNAVAILABLE, good ? "ok\n" : "not now\n");
  }

  private static void answer(HttpExchange exchange, int code, String text) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
    send(exchange, code, text);
  }

  private static void send(HttpExchange exchange, int code, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.sendResponseHeaders(code, -1);
      return;
    }
    exchange.sendResponseHeaders(code, body.length);
    exchange.getResponseBody().write(body);
  }
}
