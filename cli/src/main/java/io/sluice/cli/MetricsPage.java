package io.sluice.cli;

import io.sluice.coordinator.http.CoordinatorMetrics;
import io.sluice.metrics.MetricDocs;
import io.sluice.server.http.ServerRegistry;
import java.util.List;

/** The documentation of every metric of every process. */
final class MetricsPage {
  private static final String HEAD =
      """
      # Metrics

      <!-- Generated: ./sluice metrics > docs/metrics.md -->

      Coordinators and shuffle servers show their metrics at `/metrics` of their HTTP port (`rss.jetty.http.port`), in the text
      format of Prometheus or OpenMetrics, as the scraper asks. Rules, alerts and dashboards that use them are in
      `deploy/prometheus` and `deploy/grafana`; what to do about an alert is said in [operations.md](operations.md#alerts).

      Names follow Prometheus' conventions: base units, the unit at the end, counters end in `_total`. A histogram NAME has
      the series `NAME_bucket` (with the label `le`), `NAME_sum` and `NAME_count`. Labels are small closed sets, but for two that name
      tenants: of those there is a bounded number, the rest goes under `other`.

      Beside these, every process has the metrics of Prometheus' Java client for the JVM and the process: `jvm_memory_…`,
      `jvm_memory_pool_…`, `jvm_buffer_pool_…`, `jvm_gc_collection_seconds`, `jvm_threads_…`, `jvm_classes_…`, `jvm_info`,
      `process_cpu_seconds_total`, `process_open_fds`, `process_max_fds`, `process_resident_memory_bytes` and
      `process_start_time_seconds`.
      """;

  private MetricsPage() {}

  static List<MetricDocs.Section> sections() {
    return List.of(
        new MetricDocs.Section("Coordinator", "Of each coordinator.", CoordinatorMetrics.metrics()),
        new MetricDocs.Section(
            "Shuffle server",
            "Of each shuffle server. What connections bring is counted when it was answered.",
            ServerRegistry.metrics()));
  }

  static String render() {
    return MetricDocs.render(HEAD, sections());
  }
}
