package io.sluice.mr;

import io.sluice.client.ClientConfig;
import io.sluice.client.LocalOutputMode;
import io.sluice.client.coordinator.ServedSettings;
import io.sluice.client.push.PushConfig;
import io.sluice.client.read.ReadConfig;
import io.sluice.client.server.RetryPolicy;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.ConfigSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/**
 * What the plugin takes from a job's configuration: the keys {@code mapreduce.rss.*}. Immutable.
 *
 * @param notices what the user should know of, a line each
 */
public record JobSettings(ClientConfig client, List<String> notices) {
  private static final String PREFIX = "mapreduce.";
  private static final String OURS = PREFIX + "rss.";
  private static final String SERVED = "SLUICE_SERVED_SETTINGS";

  public JobSettings {
    notices = List.copyOf(notices);
  }

  /**
   * Reads the configuration of a job. Blocks are compressed only if {@code
   * mapreduce.rss.client.io.compression.codec} says so: the job's own codec for map output has
   * compressed what is in them.
   *
   * @throws io.sluice.common.config.ConfigException naming every value that cannot be meant
   */
  public static JobSettings of(Configuration conf) {
    return of(conf, ServedSettings.NONE);
  }

  /**
   * As {@link #of(Configuration)} of a task's container, with what the operator wants jobs to be
   * configured with.
   *
   * @param environment of the container, as {@link #put} has made it
   */
  public static JobSettings ofTask(Configuration conf, Map<String, String> environment) {
    return of(conf, ServedSettings.fromText(environment.get(SERVED)));
  }

  /** Gives a task's container what its application master has been given. */
  public static void put(Map<String, String> environment, ServedSettings served) {
    if (!served.isEmpty()) {
      environment.put(SERVED, served.toText());
    }
  }

  /** As {@link #of(Configuration)}, with what the operator wants jobs to be configured with. */
  public static JobSettings of(Configuration conf, ServedSettings served) {
    Map<String, String> values = new LinkedHashMap<>();
    for (Map.Entry<String, String> entry : conf) {
      if (entry.getKey().startsWith(OURS)) {
        // Once more by name: variables in it are replaced then.
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
        client.localOutput().mode() == LocalOutputMode.ALWAYS ? withoutPatience(client) : client,
        set.notices());
  }

  /** Where node managers have everything, waiting for a server gains nothing. */
  private static ClientConfig withoutPatience(ClientConfig client) {
    PushConfig push = client.localOutput().background().push();
    ReadConfig read = client.read();
    RetryPolicy retry = read.retry();
    return client.with(
        push,
        new ReadConfig(
            read.sliceBytes(),
            read.slicesInFlight(),
            read.maxContentBytes(),
            read.silenceMs(),
            new RetryPolicy(
                retry.maxAttempts(),
                retry.firstDelayMs(),
                retry.maxDelayMs(),
                push.connectionRetry().retryPeriodMs())));
  }

  public boolean hasCoordinator() {
    return !client.coordinator().quorum().isEmpty();
  }

  /** When map tasks leave their output on local disks. */
  public LocalOutputMode localOutput() {
    return client.localOutput().mode();
  }
}
