package io.sluice.server;

import io.sluice.common.auth.SecurityConfig;
import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSchema;
import io.sluice.common.config.ConfigSet;
import io.sluice.server.config.BufferConfig;
import io.sluice.server.config.ClusterConfig;
import io.sluice.server.config.DiskConfig;
import io.sluice.server.config.DurabilityConfig;
import io.sluice.server.config.MachineMemory;
import io.sluice.server.config.MergeConfig;
import io.sluice.server.config.NetworkConfig;
import io.sluice.server.config.ReadingConfig;
import io.sluice.server.config.ScrubLimits;
import io.sluice.server.config.ShuffleLimits;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.remote.RemoteConfig;

/**
 * The configuration of a shuffle server, parsed once at its start.
 *
 * @param shuffles bounds of what is kept
 * @param stopTimeoutMs how long a clean stop may take
 */
public record ServerConfig(
    NetworkConfig network,
    BufferConfig buffer,
    StoreConfig shuffles,
    StorageConfig storage,
    ReadingConfig reading,
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
              "How long a clean stop may take: requests under way are finished and memory is"
                  + " written to run files; what is left then is given up.")
          .build();

  /** Every key of a shuffle server. */
  public static final ConfigSchema SCHEMA =
      SecurityConfig.withoutSecrets(
              ConfigSchema.builder("server")
                  .title("Shuffle server")
                  .intro("Read from the file given as `sluice server --conf FILE`."))
          .keys(ClusterConfig.KEYS)
          .keys(NetworkConfig.KEYS)
          .keys(DiskConfig.KEYS)
          .keys(RemoteConfig.KEYS)
          .passedOn(RemoteConfig.PROPERTIES)
          .rule(RemoteConfig::checkPath)
          .rule(RemoteConfig::checkKerberos)
          .keys(MergeConfig.KEYS)
          .keys(DurabilityConfig.KEYS)
          .keys(ReadingConfig.KEYS)
          .keys(ScrubLimits.KEYS)
          .keys(BufferConfig.KEYS)
          .keys(ShuffleLimits.KEYS)
          .keys(STOP_TIMEOUT)
          .keys(SecurityConfig.KEYS)
          .rule(NetworkConfig::checkPorts)
          .rule(NetworkConfig::checkTimeouts)
          .rule(DiskConfig::checkWatermarks)
          .rule(DiskConfig::checkReadErrors)
          .rule(BufferConfig::checkWatermarks)
          .ignoredIn(ServerConfig.class, "uniffle-keys.txt")
          .removed(
              "rss.http.basic.authorizationCredentials",
              "the HTTP port has no login and shows metrics only; close it to others")
          .build();

  /**
   * @param rssIp value of the environment variable {@code RSS_IP}, or null
   * @throws ConfigException the machine cannot give what is asked
   */
  public static ServerConfig from(ConfigSet set, MachineMemory machine, String rssIp, int cores) {
    BufferConfig buffer = BufferConfig.from(set, machine);
    DiskConfig disk = DiskConfig.from(set);
    return new ServerConfig(
        NetworkConfig.from(set, rssIp, buffer.capacityBytes(), cores),
        buffer,
        ShuffleLimits.from(set, machine.heapMaxBytes()),
        new StorageConfig(
            disk,
            RemoteConfig.from(set),
            DurabilityConfig.from(set),
            MergeConfig.from(set, machine, buffer.capacityBytes()),
            ScrubLimits.from(set)),
        ReadingConfig.from(set, buffer.capacityBytes(), disk.directories().get(0).path()),
        ClusterConfig.from(set),
        set.get(STOP_TIMEOUT),
        // Tokens are the coordinators' to give.
        SecurityConfig.from(set, 0));
  }
}
