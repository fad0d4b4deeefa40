package io.sluice.server.http;

import io.prometheus.client.Collector;
import io.sluice.metrics.Metric;
import io.sluice.metrics.MetricTable;
import io.sluice.metrics.TableCollector;
import io.sluice.proto.GetStatusReply;
import io.sluice.proto.ServerState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The metrics of a shuffle server, read at each scrape from the status that GetStatus gives, so
 * that both always agree. Thread-safe.
 */
public final class ServerMetrics extends Collector {
  static final String PREFIX = "sluice_server_";

  private static final MetricTable<GetStatusReply> STATUS =
      MetricTable.<GetStatusReply>of(PREFIX)
          .counter(
              "pushed_frames_total",
              "Push frames whose blocks were accepted",
              GetStatusReply::getPushedFrames)
          .counter("pushed_blocks_total", "Blocks accepted", GetStatusReply::getPushedBlocks)
          .counter(
              "pushed_bytes_total", "Bytes of the blocks accepted", GetStatusReply::getPushedBytes)
          .counter(
              "duplicate_blocks_total",
              "Blocks dropped because the log had them already",
              GetStatusReply::getDuplicateBlocks)
          .counter(
              "refused_frames_total",
              "Frames refused for any reason",
              GetStatusReply::getRefusedFrames)
          .counter(
              "corrupt_frames_total",
              "Frames refused because a checksum did not match",
              GetStatusReply::getCorruptFrames)
          .counter(
              "paused_connections_total",
              "Times that a connection was not read because the memory budget was spent",
              GetStatusReply::getPausedConnections)
          .counter(
              "spilled_bytes_total", "Bytes written to run files", GetStatusReply::getSpilledBytes)
          .counter("spilled_runs_total", "Run files written", GetStatusReply::getSpilledRuns)
          .counter(
              "failed_spills_total",
              "Writes of run files that failed or were given up",
              GetStatusReply::getFailedSpills)
          .counter(
              "demoted_runs_total",
              "Run files that were moved to a slower disk",
              GetStatusReply::getDemotedRuns)
          .counter(
              "demoted_bytes_total",
              "Bytes of run files that were moved to a slower disk",
              GetStatusReply::getDemotedBytes)
          .counter(
              "moved_bytes_total",
              "Bytes that other servers took because this one leaves",
              GetStatusReply::getMovedBytes)
          .counter(
              "lost_runs_total",
              "Run files given up with their disk, or because they were damaged or unreadable",
              GetStatusReply::getLostRuns)
          .counter(
              "lost_bytes_total",
              "Bytes of run files given up with their disk, or because they were damaged or unreadable",
              GetStatusReply::getLostBytes)
          .counter("opens_total", "Opens of readers that were answered", GetStatusReply::getOpens)
          .counter(
              "fetches_total", "Fetches of readers that were answered", GetStatusReply::getFetches)
          .counter(
              "opened_partitions_total",
              "Partitions opened by readers",
              GetStatusReply::getOpenedPartitions)
          .counter(
              "fetched_bytes_total", "Bytes served to readers", GetStatusReply::getFetchedBytes)
          .counter(
              "fetched_from_memory_bytes_total",
              "Bytes served to readers from memory",
              GetStatusReply::getFetchedFromMemoryBytes)
          .gauge(
              "memory_used_bytes",
              "Memory budget in use",
              status -> status.getLoad().getMemoryUsedBytes())
          .gauge(
              "memory_max_bytes",
              "Memory budget",
              status -> status.getLoad().getMemoryCapacityBytes())
          .gauge(
              "memory_peak_bytes",
              "Most of the memory budget ever in use",
              GetStatusReply::getMemoryPeakBytes)
          .gauge(
              "pending_spill_bytes",
              "Bytes that are being spilled",
              status -> status.getLoad().getPendingSpillBytes())
          .gauge(
              "stored_bytes",
              "Bytes of all shuffles, in memory and on disk",
              status -> status.getLoad().getStoredBytes())
          .gauge(
              "to_move_bytes",
              "Bytes that others have still to take before this server may leave",
              status -> status.getLoad().getMove().getBytesLeft())
          .gauge(
              "shuffles_to_move",
              "Shuffles that others have still to take before this server may leave",
              status -> status.getLoad().getMove().getShufflesLeft())
          .gauge(
              "connections", "Open data connections", status -> status.getLoad().getConnections())
          .gauge("applications", "Applications with data here", GetStatusReply::getApplications)
          .gauge("shuffles", "Shuffles with data here", GetStatusReply::getShuffles)
          .gauge(
              "accepting",
              "1 while the server takes new assignments, 0 when it is draining or unhealthy",
              status -> status.getState() == ServerState.ACTIVE ? 1 : 0)
          .build();

  private static final MetricTable<ServerMetrics> CLUSTER =
      MetricTable.<ServerMetrics>of(PREFIX)
          .counter(
              "heartbeat_failures_total",
              "Heartbeats that a coordinator did not answer",
              metrics -> metrics.heartbeatFailures.getAsLong())
          .gauge(
              "coordinators_answering",
              "Coordinators that answered the last heartbeat",
              metrics -> metrics.coordinatorsAnswering.getAsInt())
          .build();

  private final Supplier<GetStatusReply> status;
  private final IntSupplier coordinatorsAnswering;
  private final LongSupplier heartbeatFailures;

  public ServerMetrics(
      Supplier<GetStatusReply> status,
      IntSupplier coordinatorsAnswering,
      LongSupplier heartbeatFailures) {
    this.status = status;
    this.coordinatorsAnswering = coordinatorsAnswering;
    this.heartbeatFailures = heartbeatFailures;
  }

  static List<Metric> metrics() {
    return Stream.of(STATUS.metrics(), CLUSTER.metrics(), DiskMetrics.metrics())
        .flatMap(List::stream)
        .toList();
  }

  @Override
  public List<MetricFamilySamples> collect() {
    GetStatusReply now = status.get();
    List<MetricFamilySamples> all = new ArrayList<>(TableCollector.families(STATUS, List.of(now)));
    all.addAll(TableCollector.families(CLUSTER, List.of(this)));
    all.addAll(DiskMetrics.of(now.getLoad().getDisksList()));
    return all;
  }
}
