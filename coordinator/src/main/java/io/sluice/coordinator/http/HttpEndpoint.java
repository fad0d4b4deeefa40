package io.sluice.coordinator.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.prometheus.client.CollectorRegistry;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.threads.DaemonThreads;
import io.sluice.common.tls.HttpServers;
import io.sluice.common.tls.TlsContexts;
import io.sluice.coordinator.api.Api;
import io.sluice.coordinator.api.ApiRoutes;
import io.sluice.metrics.MetricsText;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the web pages, the REST API, {@code /metrics}, {@code /healthz} (is the process working?)
 * and {@code /readyz} (should it be given work?). Any other path is 404. The pages, which say
 * nothing of a cluster by themselves, and the last three ask nobody for a proof; the API does.
 */
public final class HttpEndpoint implements AutoCloseable {
  private static final int THREADS = 2;
  private static final int BACKLOG = 64;
  private static final String DOCUMENT = ApiRoutes.PREFIX + "openapi.yaml";

  private static final Logger log = LoggerFactory.getLogger(HttpEndpoint.class);

  private final HttpServer server;
  private final ExecutorService executor;
  private final CollectorRegistry registry;
  private final BooleanSupplier healthy;
  private final BooleanSupplier ready;
  private final Assets assets = new Assets();
  private final ApiDoor api;

  /**
   * Binds the address; requests are served from {@link #start} on.
   *
   * @throws IOException if the address cannot be bound
   */
  public HttpEndpoint(
      InetSocketAddress address,
      ClusterSecurity security,
      CollectorRegistry registry,
      BooleanSupplier healthy,
      BooleanSupplier ready,
      Api api)
      throws IOException {
    this.registry = registry;
    this.api = new ApiDoor(api, security);
    this.healthy = healthy;
    this.ready = ready;
    Optional<TlsContexts> tls = security.tls();
    this.server =
        HttpServers.create(
            address, BACKLOG, tls, tls.map(TlsContexts::asksForCertificates).orElse(false));
    this.executor =
        Executors.newFixedThreadPool(THREADS, DaemonThreads.numbered("coordinator-http"));
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
    CompletionStage<Reply> reply;
    try {
      reply = reply(exchange);
    } catch (RuntimeException e) {
      log.error("page failed path={}", exchange.getRequestURI().getRawPath(), e);
      reply =
          CompletableFuture.completedStage(
              Reply.text(Reply.INTERNAL, "this page failed; the log says why\n"));
    } catch (IOException e) {
      exchange.close();
      throw e;
    }
    CompletableFuture<Reply> future = reply.toCompletableFuture();
    if (future.isDone()) {
      send(exchange, future.join());
    } else {
      // The thread that decides an act must not wait for a slow reader.
      CompletionStage<Void> unused =
          reply.thenAcceptAsync(answer -> send(exchange, answer), executor);
    }
  }

  private static void send(HttpExchange exchange, Reply reply) {
    try (exchange) {
      reply.send(exchange);
    } catch (IOException e) {
      log.debug("reply not delivered peer={}", exchange.getRemoteAddress(), e);
    }
  }

  private CompletionStage<Reply> reply(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getRawPath();
    return path.startsWith(ApiRoutes.PREFIX) && !path.equals(DOCUMENT)
        ? api.answer(exchange)
        : CompletableFuture.completedStage(page(exchange, path));
  }

  private Reply page(HttpExchange exchange, String path) throws IOException {
    String method = exchange.getRequestMethod();
    if (!method.equals("GET") && !method.equals("HEAD")) {
      return Reply.text(Reply.METHOD_NOT_ALLOWED, "only GET and HEAD are understood\n");
    }
    Reply asset = assets.find(path, exchange.getRequestHeaders().getFirst("If-None-Match"));
    if (asset != null) {
      return asset;
    }
    return switch (path) {
      case "/metrics" -> metrics(exchange);
      case "/healthz" -> probe(healthy.getAsBoolean());
      case "/readyz" -> probe(healthy.getAsBoolean() && ready.getAsBoolean());
      default ->
          Reply.text(
              Reply.NOT_FOUND,
              "no such page: /, /api/v1/openapi.yaml, /metrics, /healthz and /readyz are there\n");
    };
  }

  private Reply metrics(HttpExchange exchange) throws IOException {
    MetricsText metrics = MetricsText.of(registry, exchange.getRequestHeaders().getFirst("Accept"));
    return Reply.of(metrics.contentType(), metrics.text().getBytes(StandardCharsets.UTF_8));
  }

  private static Reply probe(boolean good) {
    return good ? Reply.text(Reply.OK, "ok\n") : Reply.text(Reply.UNAVAILABLE, "not now\n");
  }
}
