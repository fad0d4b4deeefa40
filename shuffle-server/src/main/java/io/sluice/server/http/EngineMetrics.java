package io.sluice.server.http;

import io.prometheus.client.Collector;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import io.sluice.server.log.LogTotals;
import io.sluice.server.scrub.ScrubCounters;
import java.util.ArrayList;
import java.util.List;

/** Metrics of verifying idle runs, and of what the logs take of the heap. Thread-safe. */
public final class EngineMetrics extends Collector {
  private final ScrubCounters scrubbed;
  private final LogTotals totals;

  public EngineMetrics(ScrubCounters scrubbed, LogTotals totals) {
    this.scrubbed = scrubbed;
    this.totals = totals;
  }

  @Override
  public List<MetricFamilySamples> collect() {
    List<MetricFamilySamples> all = new ArrayList<>();
    counter(all, "scrub_read_bytes", "Bytes read to verify idle runs", scrubbed.readBytes());
    counter(all, "scrub_verified_runs", "Idle runs found whole", scrubbed.verifiedRuns());
    counter(all, "scrub_damaged_runs", "Idle runs found damaged", scrubbed.damagedRuns());
    counter(
        all,
        "scrub_unreadable_runs",
        "Times that an idle run could not be read to its end",
        scrubbed.unreadableRuns());
    gauge(
        all,
        "metadata_bytes",
        "Heap for what is known of partitions, attempts and runs, estimated",
        totals.metadataBytes());
    gauge(all, "partitions", "Partitions that have a block", totals.partitions());
    gauge(all, "attempts", "Map attempts, summed over the shuffles", totals.attempts());
    gauge(all, "huge_shuffles", "Shuffles that have a huge partition", totals.hugeLogs().size());
    return all;
  }

  private static void counter(List<MetricFamilySamples> all, String name, String help, long value) {
    all.add(new CounterMetricFamily("sluice_server_" + name, help, (double) value));
  }

  private static void gauge(List<MetricFamilySamples> all, String name, String help, long value) {
    all.add(new GaugeMetricFamily("sluice_server_" + name, help, (double) value));
  }
}
