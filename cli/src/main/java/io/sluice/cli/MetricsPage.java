package io.sluice.cli;

import io.sluice.coordinator.http.CoordinatorMetrics;
import io.sluice.metrics.MetricDocs;
import io.sluice.server.http.ServerRegistry;
import java.util.List;

/** Reference page of the metrics of all processes. */
final class MetricsPage {
  private static final String HEAD =
      """
      # Metrics

      <!-- Generated: ./sluice metrics > docs/metrics.md -->

      Coordinators and shuffle servers expose their metrics at `/metrics` of their HTTP port (`rss.jetty.http.port`), in
      Prometheus text format or OpenMetrics, as the scraper requests. Recording rules and alerts are in `deploy/prometheus`,
      dashboards in `deploy/grafana`. For actions on alerts, see [operations.md](operations.md#alerts).

      Names follow Prometheus' conventions: base units, unit at the end, `_total` at the end of counters. A histogram NAME
      has the series `NAME_bucket` (with the label `le`), `NAME_sum` and `NAME_count`. Labels have small fixed sets of values.
      Exceptions are two labels with tenants, whose number is bounded; further tenants are counted as `other`.

      In addition, every process has the JVM and process metrics of Prometheus' Java client: `jvm_memory_…`,
      `jvm_memory_pool_…`, `jvm_buffer_pool_…`, `jvm_gc_collection_seconds`, `jvm_threads_…`, `jvm_classes_…`, `jvm_info`,
      `process_cpu_seconds_total`, `process_open_fds`, `process_max_fds`, `process_resident_memory_bytes` and
      `process_start_time_seconds`.
      """;

  private MetricsPage() {}

  static List<MetricDocs.Section> sections() {
    return List.of(
        new MetricDocs.Section(
            "Coordinator", "Metrics of each coordinator.", CoordinatorMetrics.metrics()),
        new MetricDocs.Section(
            "Shuffle server",
            "Metrics of each shuffle server. Requests on data connections are counted when "
                + "they have been answered.",
            ServerRegistry.metrics()));
  }

  static String render() {
    return MetricDocs.render(HEAD, sections());
  }
}
