package io.sluice.server.http;

import io.prometheus.client.Collector.MetricFamilySamples;
import io.sluice.metrics.Metric;
import io.sluice.metrics.MetricTable;
import io.sluice.metrics.TableCollector;
import io.sluice.proto.DiskState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Metrics of each storage directory, labelled by path and kind. */
final class DiskMetrics {
  private static final String PREFIX = "sluice_server_disk_";

  private static final MetricTable<DiskState> DISKS =
      MetricTable.<DiskState>of(
              PREFIX, List.of("path", "kind"), disk -> List.of(disk.getPath(), disk.getKind()))
          .gauge(
              "max_bytes",
              "Capacity of the directory for run files, in bytes",
              DiskState::getCapacityBytes)
          .gauge("free_bytes", "Free bytes of the directory for run files", DiskState::getFreeBytes)
          .gauge(
              "healthy",
              "1 if the server writes to the directory, 0 if it is full or unhealthy",
              disk -> disk.getHealthy() ? 1 : 0)
          .gauge(
              "write_queue",
              "Number of files that are being written to the directory",
              DiskState::getQueueDepth)
          .counter(
              "written_bytes_total",
              "Bytes of files written to the directory",
              DiskState::getWrittenBytes)
          .counter(
              "write_seconds_total",
              "Time spent writing files to the directory, in seconds",
              disk -> (double) disk.getWriteNanos() / TimeUnit.SECONDS.toNanos(1))
          .build();

  private record Condition(DiskState disk, DiskState.Health health) {}

  private static final List<DiskState.Health> CONDITIONS =
      Arrays.stream(DiskState.Health.values())
          .filter(
              health ->
                  health != DiskState.Health.HEALTH_UNSPECIFIED
                      && health != DiskState.Health.UNRECOGNIZED)
          .toList();

  private static final MetricTable<Condition> HEALTH =
      MetricTable.<Condition>of(
              PREFIX,
              List.of("path", "kind", "health"),
              row -> List.of(row.disk.getPath(), row.disk.getKind(), row.health.name()))
          .gauge(
              "health",
              "Health state of the disk: 1 for the current state, 0 for all others",
              row -> row.disk.getHealth() == row.health ? 1 : 0)
          .build();

  private record UnhealthyDisk(DiskState disk) {}

  private static final MetricTable<UnhealthyDisk> CAUSES =
      MetricTable.<UnhealthyDisk>of(
              PREFIX,
              List.of("path", "kind", "cause"),
              row -> List.of(row.disk.getPath(), row.disk.getKind(), row.disk.getCause()))
          .gauge("distrusted", "1 for an unhealthy disk, with the cause as a label", unused -> 1)
          .build();

  private DiskMetrics() {}

  static List<Metric> metrics() {
    return Stream.of(DISKS.metrics(), HEALTH.metrics(), CAUSES.metrics())
        .flatMap(List::stream)
        .toList();
  }

  static List<MetricFamilySamples> of(List<DiskState> disks) {
    List<Condition> conditions =
        disks.stream()
            .flatMap(disk -> CONDITIONS.stream().map(health -> new Condition(disk, health)))
            .toList();
    List<UnhealthyDisk> unhealthy =
        disks.stream().filter(disk -> !disk.getCause().isEmpty()).map(UnhealthyDisk::new).toList();
    List<MetricFamilySamples> all = new ArrayList<>(TableCollector.families(DISKS, disks));
    all.addAll(TableCollector.families(HEALTH, conditions));
    all.addAll(TableCollector.families(CAUSES, unhealthy));
    return all;
  }
}
