package io.sluice.server.cluster;

import io.sluice.proto.DiskState;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.HealthCause;
import io.sluice.server.disk.HealthState;

/** State of a disk for the status and for heartbeats. Does no I/O. */
public final class DiskReport {
  private DiskReport() {}

  public static DiskState of(Disk disk) {
    HealthCause cause = disk.health().cause();
    return DiskState.newBuilder()
        .setPath(disk.name())
        .setKind(disk.kind().name())
        .setCapacityBytes(disk.capacityBytes())
        .setFreeBytes(disk.freeBytes())
        .setHealthy(disk.isHealthy())
        .setHealth(health(disk.health().state()))
        .setCause(cause == HealthCause.NONE ? "" : cause.name())
        .setQueueDepth(disk.queueDepth())
        .setWrittenBytes(disk.writtenBytes())
        .setWriteNanos(disk.writeNanos())
        .addAllDirectories(disk.storage().directories())
        .addAllEmptyDirectories(disk.storage().emptyDirectories())
        .build();
  }

  private static DiskState.Health health(HealthState state) {
    return switch (state) {
      case HEALTHY -> DiskState.Health.HEALTHY;
      case SUSPECT -> DiskState.Health.SUSPECT;
      case LOST -> DiskState.Health.LOST;
      case RECOVERING -> DiskState.Health.RECOVERING;
    };
  }
}
