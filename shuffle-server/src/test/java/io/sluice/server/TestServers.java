package io.sluice.server;

import io.sluice.common.config.ConfigSet;
import io.sluice.common.config.HostPort;
import io.sluice.server.memory.MachineMemory;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Configurations of small servers on free loopback ports. */
public final class TestServers {
  private TestServers() {}

  /** Configuration of a test server, overridden by {@code more}. */
  public static ConfigSet config(HostPort coordinator, Path directory, Map<String, String> more) {
    Map<String, String> values = new HashMap<>();
    values.put("rss.coordinator.quorum", coordinator.toString());
    values.put("rss.storage.basePath", directory.toString());
    values.put("rss.server.host", "127.0.0.1");
    values.put("rss.rpc.server.port", "0");
    values.put("rss.server.netty.port", "0");
    values.put("rss.jetty.http.port", "0");
    values.put("rss.server.buffer.capacity", "16m");
    values.put("rss.server.heartbeat.interval", "100ms");
    values.put("rss.server.stop.timeout", "10s");
    values.putAll(more);
    return ConfigSet.of(ServerConfig.SCHEMA, values);
  }

  static ServerConfig parsed(ConfigSet set) {
    return ServerConfig.from(set, MachineMemory.ofThisProcess(), null, 2);
  }
}
