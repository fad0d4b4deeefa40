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
 * The configuration of a shuffle server, parsed once at its start.
 *
 * @param shuffles bounds of what is kept
 * @param shortCircuit empty: clients on this host do not get run files
 * @param stopTimeoutMs how long a clean stop may take
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
              "How long a clean stop may take to finish requests and to write memory to run"
                  + " files; the rest is lost. Raise it with rss.server.buffer.capacity, within what"
                  + " systemd or Kubernetes allow.")
          .build();

  /** Log entries in memory spill like bytes do, at this part of where pushes are refused. */
  private static final int SPILL_AT_EXTENTS_DIVISOR = 4;

  /** Every key of a shuffle server. */
  public static final ConfigSchema SCHEMA = schema();

  private static ConfigSchema schema() {
    ConfigSchema.Builder schema =
        SecurityConfig.withoutSecrets(
                ConfigSchema.builder("server")
                    .title("Shuffle server")
                    .intro("Read from the file given as `sluice server --conf FILE`."))
            .keys(HeartbeatConfig.KEYS)
            .keys(ClusterConfig.KEYS)
            .keys(MoveConfig.KEYS)
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
                "rss.security.tls.enabled encrypts every port, this one too")
            .removed(
                "rss.http.basic.authorizationCredentials",
                "the HTTP port has no login and shows metrics only; close it to others");
    return MemoryConfig.rules(DiskConfig.rules(DataTransportConfig.rules(schema))).build();
  }

  /**
   * @param rssIp value of the environment variable {@code RSS_IP}, or null
   * @throws ConfigException the machine cannot give what is asked
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
        // Tokens are the coordinators' to give.
        SecurityConfig.from(set, 0));
  }
}
