package io.sluice.server.http;

import io.prometheus.client.Collector;
import io.sluice.metrics.Metric;
import io.sluice.metrics.MetricTable;
import io.sluice.metrics.TableCollector;
import io.sluice.server.background.MergeCounters;
import java.util.List;
import java.util.function.IntSupplier;

/** What merging does, read at each scrape. Thread-safe. */
public final class MergeMetrics extends Collector {
  private static final MetricTable<MergeMetrics> MERGES =
      MetricTable.<MergeMetrics>of(ServerMetrics.PREFIX)
          .counter("merges_total", "Run files written by merging others", m -> m.merges.merges())
          .counter("merged_runs_total", "Run files that were merged", m -> m.merges.mergedRuns())
          .counter(
              "merge_read_bytes_total", "Bytes read to merge run files", m -> m.merges.readBytes())
          .counter(
              "merge_written_bytes_total",
              "Bytes written to merge run files",
              m -> m.merges.writtenBytes())
          .counter(
              "merge_failures_total",
              "Merges that a disk or a damaged run ended; they changed nothing",
              m -> m.merges.failures())
          .counter(
              "merges_cancelled_total",
              "Merges given up because their shuffle or a run was gone, or the server stopped",
              m -> m.merges.cancelled())
          .counter(
              "merge_pauses_total", "Times that a merge waited for a spill", m -> m.merges.pauses())
          .gauge(
              "merge_queue",
              "Merges that are worth doing and wait for their turn",
              m -> m.queueLength.getAsInt())
          .build();

  private final MergeCounters merges;
  private final IntSupplier queueLength;

  /**
   * @param queueLength merges that wait for their turn
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
