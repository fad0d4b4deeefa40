package io.sluice.server.http;

import io.prometheus.client.Collector.MetricFamilySamples;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import io.sluice.proto.DiskState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/** The metrics of each directory, labelled by path and kind. */
final class DiskMetrics {
  private static final List<String> LABELS = List.of("path", "kind");
  private static final List<String> HEALTH_LABELS = List.of("path", "kind", "health");

  private DiskMetrics() {}

  static List<MetricFamilySamples> of(List<DiskState> disks) {
    List<MetricFamilySamples> all = new ArrayList<>();
    all.add(
        gauge(
            disks,
            "max_bytes",
            "Bytes that may be stored in the directory",
            DiskState::getCapacityBytes));
    all.add(
        gauge(disks, "free_bytes", "Bytes still free for the directory", DiskState::getFreeBytes));
    all.add(
        gauge(
            disks,
            "healthy",
            "1 while the directory is written to",
            disk -> disk.getHealthy() ? 1 : 0));
    all.add(
        gauge(
            disks,
            "write_queue",
            "Files that are being written to the directory",
            DiskState::getQueueDepth));
    all.add(
        counter(
            disks,
            "written_bytes",
            "Bytes of files written to the directory",
            DiskState::getWrittenBytes));
    all.add(
        counter(
            disks,
            "write_seconds",
            "Time that writing those files took",
            disk -> (double) disk.getWriteNanos() / TimeUnit.SECONDS.toNanos(1)));
    all.add(health(disks));
    return all;
  }

  private static GaugeMetricFamily health(List<DiskState> disks) {
    GaugeMetricFamily family =
        new GaugeMetricFamily(
            "sluice_server_disk_health",
            "1 for the state that the disk is in, 0 for the others",
            HEALTH_LABELS);
    for (DiskState disk : disks) {
      for (DiskState.Health health : DiskState.Health.values()) {
        if (health != DiskState.Health.HEALTH_UNSPECIFIED
            && health != DiskState.Health.UNRECOGNIZED) {
          family.addMetric(
              List.of(disk.getPath(), disk.getKind(), health.name()),
              disk.getHealth() == health ? 1 : 0);
        }
      }
    }
    return family;
  }

  private static GaugeMetricFamily gauge(
      List<DiskState> disks, String name, String help, ToDoubleFunction<DiskState> value) {
    GaugeMetricFamily family = new GaugeMetricFamily("sluice_server_disk_" + name, help, LABELS);
    for (DiskState disk : disks) {
      family.addMetric(List.of(disk.getPath(), disk.getKind()), value.applyAsDouble(disk));
    }
    return family;
  }

  private static CounterMetricFamily counter(
      List<DiskState> disks, String name, String help, ToDoubleFunction<DiskState> value) {
    CounterMetricFamily family =
        new CounterMetricFamily("sluice_server_disk_" + name, help, LABELS);
    for (DiskState disk : disks) {
      family.addMetric(List.of(disk.getPath(), disk.getKind()), value.applyAsDouble(disk));
    }
    return family;
  }
}
