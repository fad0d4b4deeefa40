package io.sluice.cli.sizing;

import io.sluice.client.ClientConfig;
import io.sluice.common.config.ConfigSchema;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.server.ServerConfig;

/** Default values of keys used in sizing calculations: sizes in bytes, times in milliseconds. */
final class Defaults {
  static final double DISK_CAPACITY_RATIO = server("rss.server.disk.capacity.ratio");
  static final double DISK_LOW_PERCENT = server("rss.server.low.watermark.write");
  static final double MEMORY_HIGH_PERCENT =
      server("rss.server.memory.shuffle.highWaterMark.percentage");
  static final int SERVER_CONNECTIONS = (int) server("rss.server.connections.max");
  static final long RECOVERY_MS = (long) server("rss.server.recovery.timeout");
  static final int SERVERS_OF_A_SHUFFLE =
      (int) of(CoordinatorConfig.SCHEMA, "rss.coordinator.shuffle.nodes.max");
  static final int CONNECTIONS_TO_A_SERVER =
      (int) of(ClientConfig.SCHEMA, "rss.client.netty.client.connections.per.peer");

  private Defaults() {}

  private static double server(String key) {
    return of(ServerConfig.SCHEMA, key);
  }

  private static double of(ConfigSchema schema, String name) {
    return schema.keys().stream()
        .filter(key -> key.name().equals(name))
        .findFirst()
        .flatMap(key -> key.defaultValue())
        .map(value -> ((Number) value).doubleValue())
        .orElseThrow(() -> new IllegalStateException(name + " has no default"));
  }
}
