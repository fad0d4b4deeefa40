package io.sluice.coordinator.http;

import io.prometheus.client.CollectorRegistry;
import io.sluice.common.auth.CallDenials;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.error.PeerText;
import io.sluice.common.net.AcceptLimit;
import io.sluice.coordinator.api.Api;
import io.sluice.coordinator.api.ApiRoutes;
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
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Serves the web pages, the REST API, {@code /metrics}, {@code /healthz} (liveness) and {@code
 * /readyz} (readiness). Any other path returns 404. Only the API authenticates callers; the pages
 * contain no data of the cluster.
 */
public final class CoordinatorHttp implements AutoCloseable {
  private static final String DOCUMENT = ApiRoutes.PREFIX + "openapi.yaml";

  private final CollectorRegistry registry;
  private final BooleanSupplier healthy;
  private final Supplier<Optional<String>> notReady;
  private final Assets assets = new Assets();
  private final ApiHandler api;
  private final HttpPort port;

  /**
   * @param host host name that the process listens on; empty: every interface
   * @param limit limit of connections
   * @param notReady reason why the process is not ready; empty: it is ready
   * @param denials counts and logs denied requests
   */
  public CoordinatorHttp(
      String host,
      ClusterSecurity security,
      AcceptLimit limit,
      HttpTimeouts timeouts,
      InstantSource clock,
      CollectorRegistry registry,
      BooleanSupplier healthy,
      Supplier<Optional<String>> notReady,
      Api api,
      CallDenials denials,
      LongSupplier nanoTime) {
    this.registry = registry;
    this.api = new ApiHandler(api, security, new HostNames(host), denials, nanoTime);
    this.healthy = healthy;
    this.notReady = notReady;
    this.port =
        new HttpPort(
            "coordinator-http",
            security.tls().map(tls -> tls.httpServer(tls.requestsClientCertificates())),
            limit,
            timeouts,
            clock,
            this::answer);
  }

  /**
   * Binds the address and starts to serve.
   *
   * @throws IOException if the address cannot be bound
   */
  public void start(InetSocketAddress address) throws IOException {
    port.start(address);
  }

  public int port() {
    return port.port();
  }

  @Override
  public void close() {
    port.close();
  }

  private CompletionStage<HttpAnswer> answer(HttpCall call) {
    return (call.path().startsWith(ApiRoutes.PREFIX) && !call.path().equals(DOCUMENT)
            ? api.answer(call)
            : CompletableFuture.completedStage(page(call)))
        .thenApply(Reply::answer);
  }

  private Reply page(HttpCall call) {
    if (call.changes()) {
      return Reply.text(Reply.METHOD_NOT_ALLOWED, "method not allowed: use GET or HEAD\n");
    }
    Reply asset = assets.find(call.path(), call.header("If-None-Match"));
    if (asset != null) {
      return asset;
    }
    return switch (call.path()) {
      case "/metrics" -> metrics(call);
      case "/healthz" -> probe(whyUnhealthy());
      case "/readyz" -> probe(whyUnhealthy().or(notReady));
      default ->
          Reply.text(
              Reply.NOT_FOUND,
              "no such page; available: /, /api/v1/openapi.yaml, /metrics, /healthz and /readyz\n");
    };
  }

  private Reply metrics(HttpCall call) {
    try {
      MetricsText metrics = MetricsText.of(registry, call.header("Accept"));
      return Reply.of(metrics.contentType(), metrics.text().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e); // Impossible: written to memory.
    }
  }

  private Optional<String> whyUnhealthy() {
    return healthy.getAsBoolean()
        ? Optional.empty()
        : Optional.of(
            "the state thread has not completed a round within 10 s: restart the coordinator");
  }

  private static Reply probe(Optional<String> problem) {
    return problem
        .map(
            why ->
                Reply.text(Reply.UNAVAILABLE, "unavailable: " + PeerText.clipped(why, 1000) + "\n"))
        .orElseGet(() -> Reply.text(Reply.OK, "ok\n"));
  }
}
