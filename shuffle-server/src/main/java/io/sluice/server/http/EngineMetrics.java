package io.sluice.server.http;

import io.prometheus.client.Collector;
import io.sluice.metrics.Metric;
import io.sluice.metrics.MetricTable;
import io.sluice.metrics.TableCollector;
import io.sluice.server.background.ScrubCounters;
import io.sluice.server.log.LogTotals;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Metrics of verifying idle runs, and of what the logs take of the heap. Thread-safe. */
public final class EngineMetrics extends Collector {
  private static final MetricTable<ScrubCounters> SCRUBBED =
      MetricTable.<ScrubCounters>of(ServerMetrics.PREFIX + "scrub_")
          .counter("read_bytes_total", "Bytes read to verify idle runs", ScrubCounters::readBytes)
          .counter("verified_runs_total", "Idle runs found whole", ScrubCounters::verifiedRuns)
          .counter("damaged_runs_total", "Idle runs found damaged", ScrubCounters::damagedRuns)
          .counter(
              "unreadable_runs_total",
              "Times that an idle run could not be read to its end",
              ScrubCounters::unreadableRuns)
          .build();

  private static final MetricTable<LogTotals> TOTALS =
      MetricTable.<LogTotals>of(ServerMetrics.PREFIX)
          .gauge(
              "metadata_bytes",
              "Heap for what is known of partitions, attempts and runs, estimated",
              LogTotals::metadataBytes)
          .gauge("partitions", "Partitions that have a block", LogTotals::partitions)
          .gauge("attempts", "Map attempts, summed over the shuffles", LogTotals::attempts)
          .gauge(
              "huge_shuffles",
              "Shuffles that have a huge partition",
              totals -> totals.hugeLogs().size())
          .gauge(
              "buffered_bytes",
              "Bytes of the memory budget in frames that no spill has taken yet",
              LogTotals::bufferedBytes)
          .build();

  private final ScrubCounters scrubbed;
  private final LogTotals totals;

  public EngineMetrics(ScrubCounters scrubbed, LogTotals totals) {
    this.scrubbed = scrubbed;
    this.totals = totals;
  }

  static List<Metric> metrics() {
    return Stream.of(SCRUBBED.metrics(), TOTALS.metrics()).flatMap(List::stream).toList();
  }

  @Override
  public List<MetricFamilySamples> collect() {
    List<MetricFamilySamples> all =
        new ArrayList<>(TableCollector.families(SCRUBBED, List.of(scrubbed)));
    all.addAll(TableCollector.families(TOTALS, List.of(totals)));
    return all;
  }
}
