package io.sluice.coordinator.cluster;

import io.sluice.common.config.HostText;
import io.sluice.proto.DiskState;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import io.sluice.proto.StoredData;
import java.util.List;

/** Servers for tests. */
public final class Servers {
  public static final long GIB = 1L << 30;

  private Servers() {}

  public static ServerId id(String host, int port) {
    return ServerId.newBuilder()
        .setName(HostText.withPort(host, port))
        .setHost(host)
        .setRpcPort(port)
        .setNettyPort(17000)
        .setEpoch(1)
        .build();
  }

  /** An idle server of 1 GiB of memory and a 100 GiB disk. */
  public static Server idle(String host, int port) {
    return with(host, port, idleLoad());
  }

  public static Server with(String host, int port, ServerLoad load) {
    return Server.reporting(
        id(host, port), ServerState.ACTIVE, load, StoredData.getDefaultInstance(), List.of(), 0);
  }

  /** An idle server in a zone. */
  public static Server inZone(String zone, String host, int port) {
    return Server.reporting(
        id(host, port).toBuilder().setZone(zone).build(),
        ServerState.ACTIVE,
        idleLoad(),
        StoredData.getDefaultInstance(),
        List.of(),
        0);
  }

  public static ServerLoad idleLoad() {
    return ServerLoad.newBuilder()
        .setMemoryCapacityBytes(GIB)
        .addDisks(disk(100 * GIB, 100 * GIB))
        .build();
  }

  public static ServerLoad memoryUsed(double share) {
    return idleLoad().toBuilder().setMemoryUsedBytes((long) (share * GIB)).build();
  }

  public static DiskState disk(long capacityBytes, long freeBytes) {
    return DiskState.newBuilder()
        .setPath("/d")
        .setKind("SSD")
        .setCapacityBytes(capacityBytes)
        .setFreeBytes(freeBytes)
        .setHealthy(true)
        .build();
  }
}
