package io.sluice.server.http;

import io.prometheus.client.Collector;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import io.sluice.server.merge.MergeCounters;
import java.util.List;
import java.util.function.IntSupplier;

/** What merging does, read at each scrape. Thread-safe. */
public final class MergeMetrics extends Collector {
  private final MergeCounters merges;
  private final IntSupplier queueLength;

  /**
   * @param queueLength merges that wait for their turn
   */
  public MergeMetrics(MergeCounters merges, IntSupplier queueLength) {
    this.merges = merges;
    this.queueLength = queueLength;
  }

  @Override
  public List<MetricFamilySamples> collect() {
    return List.of(
        counter("merges", "Run files written by merging others", merges.merges()),
        counter("merged_runs", "Run files that were merged", merges.mergedRuns()),
        counter("merge_read_bytes", "Bytes read to merge run files", merges.readBytes()),
        counter("merge_written_bytes", "Bytes written to merge run files", merges.writtenBytes()),
        counter(
            "merge_failures",
            "Merges that a disk or a damaged run ended; they changed nothing",
            merges.failures()),
        counter(
            "merges_cancelled",
            "Merges given up because their shuffle or a run was gone, or the server stopped",
            merges.cancelled()),
        counter("merge_pauses", "Times that a merge waited for a spill", merges.pauses()),
        new GaugeMetricFamily(
            "sluice_server_merge_queue",
            "Merges that are worth doing and wait for their turn",
            queueLength.getAsInt()));
  }

  private static MetricFamilySamples counter(String name, String help, long value) {
    return new CounterMetricFamily("sluice_server_" + name, help, (double) value);
  }
}
