package io.sluice.server.http;

import io.prometheus.client.Collector;
import io.sluice.metrics.Metric;
import io.sluice.metrics.MetricTable;
import io.sluice.metrics.TableCollector;
import io.sluice.server.background.MergeCounters;
import java.util.List;
import java.util.function.IntSupplier;

/** Metrics of merges, read at each scrape. Thread-safe. */
public final class MergeMetrics extends Collector {
  private static final MetricTable<MergeMetrics> MERGES =
      MetricTable.<MergeMetrics>of(ServerMetrics.PREFIX)
          .counter("merges_total", "Run files written by merges", m -> m.merges.merges())
          .counter(
              "merged_runs_total",
              "Run files that were merged into others",
              m -> m.merges.mergedRuns())
          .counter(
              "merge_read_bytes_total", "Bytes read to merge run files", m -> m.merges.readBytes())
          .counter(
              "merge_written_bytes_total",
              "Bytes written to merge run files",
              m -> m.merges.writtenBytes())
          .counter(
              "merge_failures_total",
              "Merges that failed because of a disk or a damaged run; their inputs stay unchanged",
              m -> m.merges.failures())
          .counter(
              "merges_cancelled_total",
              "Merges cancelled because their shuffle or a run was removed, or the server stopped",
              m -> m.merges.cancelled())
          .counter(
              "merge_pauses_total",
              "Number of times that a merge paused for a spill",
              m -> m.merges.pauses())
          .gauge(
              "merge_queue",
              "Number of planned merges that wait to start",
              m -> m.queueLength.getAsInt())
          .build();

  private final MergeCounters merges;
  private final IntSupplier queueLength;

  /**
   * @param queueLength number of planned merges that wait to start
   */
  public MergeMetrics(MergeCounters merges, IntSupplier queueLength) {
    this.merges = merges;
    this.queueLength = queueLength;
  }

  static List<Metric> metrics() {
    return MERGES.metrics();
  }

  @Override
  public List<MetricFamilySamples> collect() {
    return TableCollector.families(MERGES, List.of(this));
  }
}
