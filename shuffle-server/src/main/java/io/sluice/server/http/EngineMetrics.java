package io.sluice.server.http;

import io.prometheus.client.Collector;
import io.sluice.metrics.Metric;
import io.sluice.metrics.MetricTable;
import io.sluice.metrics.TableCollector;
import io.sluice.server.background.ScrubCounters;
import io.sluice.server.log.LogTotals;
import io.sluice.server.observe.ServerCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Metrics of scrubbing, of damaged blocks, and of the totals of all shuffle logs. Thread-safe. */
public final class EngineMetrics extends Collector {
  private static final MetricTable<ScrubCounters> SCRUBBED =
      MetricTable.<ScrubCounters>of(ServerMetrics.PREFIX + "scrub_")
          .counter(
              "read_bytes_total",
              "Bytes read by scrubbing, which verifies checksums of idle runs",
              ScrubCounters::readBytes)
          .counter(
              "verified_runs_total",
              "Idle runs whose checksums were verified without an error",
              ScrubCounters::verifiedRuns)
          .counter(
              "damaged_runs_total",
              "Idle runs in which scrubbing found damage",
              ScrubCounters::damagedRuns)
          .counter(
              "unreadable_runs_total",
              "Number of times that scrubbing could not read an idle run completely",
              ScrubCounters::unreadableRuns)
          .build();

  private static final MetricTable<ServerCounters> DAMAGE =
      MetricTable.<ServerCounters>of(ServerMetrics.PREFIX)
          .counter(
              "lost_blocks_total",
              "Blocks of run files whose checksum was wrong, found by scrubbing or by readers; the"
                  + " other blocks of their runs are not lost",
              ServerCounters::lostBlocks)
          .counter(
              "damage_reports_confirmed_total",
              "Blocks that readers reported as damaged and that are damaged in their run file",
              ServerCounters::confirmedReports)
          .counter(
              "damage_reports_unconfirmed_total",
              "Blocks that readers reported as damaged although their run file is correct: network"
                  + " or memory changed them",
              ServerCounters::unconfirmedReports)
          .build();

  private static final MetricTable<LogTotals> TOTALS =
      MetricTable.<LogTotals>of(ServerMetrics.PREFIX)
          .gauge(
              "metadata_bytes",
              "Estimated heap for metadata of partitions, attempts and runs, in bytes",
              LogTotals::metadataBytes)
          .gauge(
              "partitions", "Number of partitions with at least one block", LogTotals::partitions)
          .gauge("attempts", "Number of map attempts of all shuffles", LogTotals::attempts)
          .gauge(
              "huge_shuffles",
              "Number of shuffles with a huge partition",
              totals -> totals.hugeLogs().size())
          .gauge(
              "buffered_bytes",
              "Bytes of the memory budget in frames that no spill has taken yet",
              LogTotals::bufferedBytes)
          .build();

  private final ScrubCounters scrubbed;
  private final ServerCounters counters;
  private final LogTotals totals;

  public EngineMetrics(ScrubCounters scrubbed, ServerCounters counters, LogTotals totals) {
    this.scrubbed = scrubbed;
    this.counters = counters;
    this.totals = totals;
  }

  static List<Metric> metrics() {
    return Stream.of(SCRUBBED.metrics(), DAMAGE.metrics(), TOTALS.metrics())
        .flatMap(List::stream)
        .toList();
  }

  @Override
  public List<MetricFamilySamples> collect() {
    List<MetricFamilySamples> all =
        new ArrayList<>(TableCollector.families(SCRUBBED, List.of(scrubbed)));
    all.addAll(TableCollector.families(DAMAGE, List.of(counters)));
    all.addAll(TableCollector.families(TOTALS, List.of(totals)));
    return all;
  }
}
