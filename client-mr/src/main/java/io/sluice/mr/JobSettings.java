package io.sluice.mr;

import io.sluice.client.ClientConfig;
import io.sluice.client.LocalOutputMode;
import io.sluice.client.coordinator.ServedSettings;
import io.sluice.client.push.PushConfig;
import io.sluice.client.server.RetryPolicy;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.ConfigSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/**
 * The plugin's settings from a job's configuration: the keys {@code mapreduce.rss.*}. Immutable.
 *
 * @param recordPlanes whether records may be encoded; only if blocks are compressed
 * @param notices configuration problems to log, one line each
 */
public record JobSettings(ClientConfig client, boolean recordPlanes, List<String> notices) {
  private static final String PREFIX = "mapreduce.";
  private static final String OURS = PREFIX + "rss.";
  private static final String SERVED = "SLUICE_SERVED_SETTINGS";

  public JobSettings {
    notices = List.copyOf(notices);
  }

  /**
   * Reads the configuration of a job. Blocks are compressed only if {@code
   * mapreduce.rss.client.io.compression.codec} is set, because the job's map output codec has
   * already compressed their content.
   *
   * @throws io.sluice.common.config.ConfigException names every invalid value
   */
  public static JobSettings of(Configuration conf) {
    return of(conf, ServedSettings.NONE);
  }

  /**
   * As {@link #of(Configuration)}, with the operator's settings from a task container's
   * environment.
   *
   * @param environment environment of the container, filled by {@link #put}
   */
  public static JobSettings ofTask(Configuration conf, Map<String, String> environment) {
    return of(conf, ServedSettings.fromText(environment.get(SERVED)));
  }

  /** Adds the operator's settings to the environment of a task's container. */
  public static void put(Map<String, String> environment, ServedSettings served) {
    if (!served.isEmpty()) {
      environment.put(SERVED, served.toText());
    }
  }

  /** As {@link #of(Configuration)}, with the operator's settings. */
  public static JobSettings of(Configuration conf, ServedSettings served) {
    Map<String, String> values = new LinkedHashMap<>();
    for (Map.Entry<String, String> entry : conf) {
      if (entry.getKey().startsWith(OURS)) {
        // Read again by name, which expands variables in the value.
        values.put(entry.getKey(), conf.get(entry.getKey()));
      }
    }
    values.putAll(served.changes(PREFIX, values));
    ConfigSet set =
        ConfigReader.of(ClientConfig.SCHEMA)
            .enginePrefix(PREFIX)
            .values("the job's configuration", values)
            .read();
    ClientConfig client = ClientConfig.from(set, BlockCodec.NONE);
    return new JobSettings(
        client.localOutput().mode() == LocalOutputMode.ALWAYS ? withoutRetryPeriod(client) : client,
        // Without a codec, LZ4 would save as many bytes for less CPU time (decision 0018).
        set.get(ClientConfig.ROW_PLANES) && client.push().codec() != BlockCodec.NONE,
        set.notices());
  }

  /** If node managers store all output, retrying an unreachable server gains nothing. */
  private static ClientConfig withoutRetryPeriod(ClientConfig client) {
    PushConfig push = client.localOutput().background().push();
    RetryPolicy retry = client.read().retry();
    return client.with(
        push,
        client
            .read()
            .with(
                new RetryPolicy(
                    retry.maxAttempts(),
                    retry.firstDelayMs(),
                    retry.maxDelayMs(),
                    push.connectionRetry().retryPeriodMs())));
  }

  public boolean hasCoordinator() {
    return !client.coordinator().quorum().isEmpty();
  }

  /** When map tasks write their output to local disks. */
  public LocalOutputMode localOutput() {
    return client.localOutput().mode();
  }
}
