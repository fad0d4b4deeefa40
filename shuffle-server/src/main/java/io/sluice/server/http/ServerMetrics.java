package io.sluice.server.http;

import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import io.prometheus.client.hotspot.DefaultExports;
import io.sluice.proto.GetStatusReply;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The metrics of a shuffle server, read at each scrape from the status that GetStatus gives, so
 * that both always agree. Thread-safe.
 */
public final class ServerMetrics extends Collector {
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

  /** A registry with these metrics and those of the JVM. */
  public CollectorRegistry registry() {
    CollectorRegistry registry = new CollectorRegistry();
    DefaultExports.register(registry);
    registry.register(this);
    return registry;
  }

  @Override
  public List<MetricFamilySamples> collect() {
    GetStatusReply now = status.get();
    ServerLoad load = now.getLoad();
    List<MetricFamilySamples> all = new ArrayList<>();

    counter(all, "pushed_frames", "Push frames whose blocks were accepted", now.getPushedFrames());
    counter(all, "pushed_blocks", "Blocks accepted", now.getPushedBlocks());
    counter(all, "pushed_bytes", "Bytes of the blocks accepted", now.getPushedBytes());
    counter(
        all,
        "duplicate_blocks",
        "Blocks dropped because the log had them already",
        now.getDuplicateBlocks());
    counter(all, "refused_frames", "Frames refused for any reason", now.getRefusedFrames());
    counter(
        all,
        "corrupt_frames",
        "Frames refused because a checksum did not match",
        now.getCorruptFrames());
    counter(
        all,
        "paused_connections",
        "Times that a connection was not read because the memory budget was spent",
        now.getPausedConnections());
    counter(all, "spilled_bytes", "Bytes written to run files", now.getSpilledBytes());
    counter(all, "spilled_runs", "Run files written", now.getSpilledRuns());
    counter(
        all,
        "failed_spills",
        "Writes of run files that failed or were given up",
        now.getFailedSpills());
    counter(
        all, "demoted_runs", "Run files that were moved to a slower disk", now.getDemotedRuns());
    counter(
        all,
        "demoted_bytes",
        "Bytes of run files that were moved to a slower disk",
        now.getDemotedBytes());
    counter(all, "lost_runs", "Run files that were given up with their disk", now.getLostRuns());
    counter(
        all,
        "lost_bytes",
        "Bytes of run files that were given up with their disk",
        now.getLostBytes());
    counter(all, "opens", "Opens of readers that were answered", now.getOpens());
    counter(all, "fetches", "Fetches of readers that were answered", now.getFetches());
    counter(all, "opened_partitions", "Partitions opened by readers", now.getOpenedPartitions());
    counter(all, "fetched_bytes", "Bytes served to readers", now.getFetchedBytes());
    counter(
        all,
        "fetched_from_memory_bytes",
        "Bytes served to readers from memory",
        now.getFetchedFromMemoryBytes());
    counter(
        all,
        "heartbeat_failures",
        "Heartbeats that a coordinator did not answer",
        heartbeatFailures.getAsLong());

    gauge(all, "memory_used_bytes", "Memory budget in use", load.getMemoryUsedBytes());
    gauge(all, "memory_max_bytes", "Memory budget", load.getMemoryCapacityBytes());
    gauge(
        all,
        "memory_peak_bytes",
        "Most of the memory budget ever in use",
        now.getMemoryPeakBytes());
    gauge(all, "pending_spill_bytes", "Bytes waiting to be spilled", load.getPendingSpillBytes());
    gauge(
        all, "stored_bytes", "Bytes of all shuffles, in memory and on disk", load.getStoredBytes());
    gauge(all, "connections", "Open data connections", load.getConnections());
    gauge(all, "applications", "Applications with data here", now.getApplications());
    gauge(all, "shuffles", "Shuffles with data here", now.getShuffles());
    gauge(
        all,
        "coordinators_answering",
        "Coordinators that answered the last heartbeat",
        coordinatorsAnswering.getAsInt());
    gauge(
        all,
        "accepting",
        "1 while the server takes new assignments, 0 when it is draining or unhealthy",
        now.getState() == ServerState.ACTIVE ? 1 : 0);

    all.addAll(DiskMetrics.of(load.getDisksList()));
    return all;
  }

  private static void counter(List<MetricFamilySamples> all, String name, String help, long value) {
    all.add(new CounterMetricFamily("sluice_server_" + name, help, (double) value));
  }

  private static void gauge(List<MetricFamilySamples> all, String name, String help, long value) {
    all.add(new GaugeMetricFamily("sluice_server_" + name, help, (double) value));
  }
}
