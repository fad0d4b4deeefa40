package io.sluice.server;

import io.sluice.common.auth.SecurityConfig;
import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSchema;
import io.sluice.common.config.ConfigSet;
import io.sluice.server.background.MergeConfig;
import io.sluice.server.background.ScrubConfig;
import io.sluice.server.background.SpillConfig;
import io.sluice.server.cluster.ClusterConfig;
import io.sluice.server.cluster.HeartbeatConfig;
import io.sluice.server.cluster.MoveConfig;
import io.sluice.server.cluster.TerminationNotice;
import io.sluice.server.disk.DiskConfig;
import io.sluice.server.disk.DurabilityConfig;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.memory.MachineMemory;
import io.sluice.server.memory.MemoryConfig;
import io.sluice.server.net.ShortCircuitConfig;
import io.sluice.server.read.DiskReadConfig;
import io.sluice.server.read.ReadBufferConfig;
import io.sluice.server.remote.RemoteConfig;
import io.sluice.transport.server.DataTransportConfig;
import java.util.Optional;

/**
 * Configuration of a shuffle server, parsed once when it starts.
 *
 * @param shuffles limits of the shuffle store
 * @param shortCircuit short-circuit reads; empty if disabled
 * @param stopTimeoutMs timeout of a clean stop
 */
public record ServerConfig(
    NetworkConfig network,
    MemoryConfig memory,
    StoreConfig shuffles,
    StorageConfig storage,
    ReadBufferConfig reads,
    Optional<ShortCircuitConfig> shortCircuit,
    ClusterConfig cluster,
    long stopTimeoutMs,
    SecurityConfig security) {
  static final ConfigKey<Long> STOP_TIMEOUT =
      ConfigKey.durationMs("rss.server.stop.timeout")
          .defaultValue(30_000L)
          .atLeast(0L)
          .atMost(60_000L)
          .reloadable()
          .doc(
              "Timeout of a clean stop, in which the server finishes requests and"
                  + " writes memory to run files; data that is not written in time is lost. Raise"
                  + " it together with rss.server.buffer.capacity, but keep it below the stop"
                  + " timeout of systemd or Kubernetes.")
          .build();

  /**
   * Spilling also starts at this fraction of the number of in-memory log entries at which pushes
   * are refused.
   */
  private static final int SPILL_AT_EXTENTS_DIVISOR = 4;

  /** Configuration keys of a shuffle server. */
  public static final ConfigSchema SCHEMA = schema();

  private static ConfigSchema schema() {
    ConfigSchema.Builder schema =
        SecurityConfig.withoutSecrets(
                ConfigSchema.builder("server")
                    .title("Shuffle server")
                    .intro("Read from the file given as `sluice server --conf FILE`.")
                    .first(
                        "rss.coordinator.quorum",
                        "rss.storage.basePath",
                        "rss.server.buffer.capacity"))
            .keys(HeartbeatConfig.KEYS)
            .keys(ClusterConfig.KEYS)
            .keys(MoveConfig.KEYS)
            .keys(TerminationNotice.Config.KEYS)
            .keys(NetworkConfig.KEYS)
            .keys(DataTransportConfig.KEYS)
            .keys(DiskConfig.KEYS)
            .keys(RemoteConfig.KEYS)
            .passedOn(RemoteConfig.PROPERTIES)
            .keys(MergeConfig.KEYS)
            .keys(DurabilityConfig.KEYS)
            .keys(ReadBufferConfig.KEYS)
            .keys(DiskReadConfig.KEYS)
            .keys(ShortCircuitConfig.KEYS)
            .keys(ScrubConfig.KEYS)
            .keys(MemoryConfig.KEYS)
            .keys(SpillConfig.HUGE_RATIO)
            .keys(StoreConfig.KEYS)
            .keys(STOP_TIMEOUT)
            .keys(SecurityConfig.KEYS)
            .rule(RemoteConfig::checkPath)
            .rule(RemoteConfig::checkKerberos)
            .rule(NetworkConfig::checkPorts)
            .ignoredIn(ServerConfig.class, "uniffle-keys.txt")
            .removed(
                "rss.jetty.ssl.enable",
                "rss.security.tls.enabled encrypts every port, including the HTTP port")
            .removed(
                "rss.http.basic.authorizationCredentials",
                "the HTTP port has no login and serves metrics only; restrict access by firewall");
    return MemoryConfig.rules(DiskConfig.rules(DataTransportConfig.rules(schema))).build();
  }

  /**
   * @param rssIp value of the environment variable {@code RSS_IP}, or null
   * @throws ConfigException if the machine has less memory than configured
   */
  public static ServerConfig from(ConfigSet set, MachineMemory machine, String rssIp, int cores) {
    MemoryConfig memory = MemoryConfig.from(set, machine);
    StoreConfig shuffles = StoreConfig.from(set, machine.heapMaxBytes());
    DiskConfig disk = DiskConfig.from(set);
    NetworkConfig network = NetworkConfig.from(set, rssIp, memory.capacityBytes(), cores);
    return new ServerConfig(
        network,
        memory,
        shuffles,
        new StorageConfig(
            disk,
            RemoteConfig.from(set),
            DurabilityConfig.from(set),
            SpillConfig.from(
                set,
                memory.capacityBytes(),
                shuffles.maxBufferedExtents() / SPILL_AT_EXTENTS_DIVISOR),
            MergeConfig.from(set, machine, memory.capacityBytes()),
            ScrubConfig.from(set)),
        ReadBufferConfig.from(set, memory.capacityBytes()),
        ShortCircuitConfig.from(set, disk.directories().get(0).path(), network.connections()),
        ClusterConfig.from(set),
        set.get(STOP_TIMEOUT),
        // Only coordinators issue tokens.
        SecurityConfig.from(set, 0));
  }
}
