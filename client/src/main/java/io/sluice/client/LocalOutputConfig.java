package io.sluice.client;

import io.sluice.client.local.BackgroundConfig;
import io.sluice.client.push.PushConfig;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;
import java.util.stream.Stream;

/**
 * When map tasks write blocks to local output, and the settings of the mode ALWAYS.
 *
 * @param background settings of the background push
 * @param readWait how long readers wait for the background push
 */
public record LocalOutputConfig(
    LocalOutputMode mode, BackgroundConfig background, ReadWaitConfig readWait) {
  static final ConfigKey<LocalOutputMode> LOCAL_OUTPUT =
      ConfigKey.enumeration("rss.local.output", LocalOutputMode.class)
          .defaultValue(LocalOutputMode.FALLBACK)
          .doc(
              "Blocks that map tasks write to local disks of executors: `FALLBACK`, those that no"
                  + " server accepts; `ALWAYS`, all; `NEVER`, none. With `ALWAYS`, blocks are"
                  + " pushed in the background, and the loss of a server reruns no map task. Set"
                  + " `ALWAYS` for executors with disks that run until the job ends, and `NEVER`"
                  + " for executors without disks.")
          .build();

  public static final List<ConfigKey<?>> KEYS =
      Stream.of(List.of(LOCAL_OUTPUT), ReadWaitConfig.KEYS, BackgroundConfig.KEYS)
          .<ConfigKey<?>>flatMap(List::stream)
          .toList();

  /**
   * @param push settings of pushes of map tasks
   */
  public static LocalOutputConfig from(ConfigSet set, PushConfig push) {
    return new LocalOutputConfig(
        set.get(LOCAL_OUTPUT), BackgroundConfig.from(set, push), ReadWaitConfig.from(set));
  }
}
