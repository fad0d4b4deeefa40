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
 * Metrics of a shuffle server. Each scrape reads the same status as the call GetStatus, so that
 * both agree. Thread-safe.
 */
public final class ServerMetrics extends Collector {
  static final String PREFIX = "sluice_server_";

  private static final MetricTable<GetStatusReply> STATUS =
      MetricTable.<GetStatusReply>of(PREFIX)
          .counter(
              "pushed_frames_total",
              "Push frames whose blocks were accepted",
              GetStatusReply::getPushedFrames)
          .counter("pushed_blocks_total", "Accepted blocks", GetStatusReply::getPushedBlocks)
          .counter("pushed_bytes_total", "Bytes of accepted blocks", GetStatusReply::getPushedBytes)
          .counter(
              "duplicate_blocks_total",
              "Blocks dropped because they were received before",
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
              "Number of times that the server paused reading a connection because"
                  + " its memory budget was full",
              GetStatusReply::getPausedConnections)
          .counter(
              "spilled_bytes_total",
              "Bytes written to run files by spills",
              GetStatusReply::getSpilledBytes)
          .counter(
              "spilled_runs_total", "Run files written by spills", GetStatusReply::getSpilledRuns)
          .counter(
              "failed_spills_total",
              "Spills that failed or were abandoned after a timeout",
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
              "Bytes copied to other servers by a decommission of this server",
              GetStatusReply::getMovedBytes)
          .counter(
              "lost_runs_total",
              "Run files lost with their disk, or because they were damaged or unreadable",
              GetStatusReply::getLostRuns)
          .counter(
              "lost_bytes_total",
              "Bytes of run files lost with their disk, or because they were damaged or unreadable",
              GetStatusReply::getLostBytes)
          .counter(
              "opens_total",
              "Open requests of readers that were answered",
              GetStatusReply::getOpens)
          .counter(
              "fetches_total",
              "Fetch requests of readers that were answered",
              GetStatusReply::getFetches)
          .counter(
              "opened_partitions_total",
              "Partitions opened by readers",
              GetStatusReply::getOpenedPartitions)
          .counter(
              "fetched_bytes_total",
              "Bytes served to readers, from memory and from files",
              GetStatusReply::getFetchedBytes)
          .counter(
              "fetched_from_memory_bytes_total",
              "Bytes served to readers from memory",
              GetStatusReply::getFetchedFromMemoryBytes)
          .gauge(
              "memory_used_bytes",
              "Bytes of the memory budget in use",
              status -> status.getLoad().getMemoryUsedBytes())
          .gauge(
              "memory_max_bytes",
              "Size of the memory budget for blocks, in bytes",
              status -> status.getLoad().getMemoryCapacityBytes())
          .gauge(
              "memory_peak_bytes",
              "Maximum bytes of the memory budget in use since the server started",
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
              "Bytes that remain to be copied to other servers before this server"
                  + " can be decommissioned",
              status -> status.getLoad().getMove().getBytesLeft())
          .gauge(
              "shuffles_to_move",
              "Shuffles that remain to be copied to other servers before this"
                  + " server can be decommissioned",
              status -> status.getLoad().getMove().getShufflesLeft())
          .gauge(
              "connections",
              "Number of open data connections",
              status -> status.getLoad().getConnections())
          .gauge(
              "applications",
              "Number of applications with data on this server",
              GetStatusReply::getApplications)
          .gauge(
              "shuffles",
              "Number of shuffles with data on this server",
              GetStatusReply::getShuffles)
          .gauge(
              "accepting",
              "1 if the server accepts new assignments, 0 if it is draining or unhealthy",
              status -> status.getState() == ServerState.ACTIVE ? 1 : 0)
          .gauge(
              "certificate_expiry_seconds",
              "Unix time of the earliest expiry of the certificates in use: identity, authorities"
                  + " and TLS; 0 without certificates",
              status -> status.getCertificateExpiryMs() / 1000.0)
          .build();

  private static final MetricTable<ServerMetrics> CLUSTER =
      MetricTable.<ServerMetrics>of(PREFIX)
          .counter(
              "heartbeat_failures_total",
              "Heartbeats to coordinators that failed or timed out",
              metrics -> metrics.heartbeatFailures.getAsLong())
          .gauge(
              "coordinators_answering",
              "Number of coordinators that answered the latest heartbeat",
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
