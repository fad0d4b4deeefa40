package io.sluice.client;

import io.sluice.client.local.BackgroundConfig;
import io.sluice.client.push.PushConfig;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;
import java.util.stream.Stream;

/**
 * When map tasks leave blocks on local disks, and what follows where they always do.
 *
 * @param background how servers get local output after its task
 * @param readWait how long readers wait for that
 */
public record LocalOutputConfig(
    LocalOutputMode mode, BackgroundConfig background, ReadWaitConfig readWait) {
  static final ConfigKey<LocalOutputMode> LOCAL_OUTPUT =
      ConfigKey.enumeration("rss.local.output", LocalOutputMode.class)
          .defaultValue(LocalOutputMode.FALLBACK)
          .doc(
              "When map tasks keep blocks in the engine's own map output files. `FALLBACK`:"
                  + " blocks that no server takes. `ALWAYS`: all blocks, which are pushed in the"
                  + " background afterwards; the loss of a server then reruns nothing. `NEVER`: none."
                  + " Set `ALWAYS` where executors have disks and live long, `NEVER` where they have no"
                  + " disks.")
          .build();

  public static final List<ConfigKey<?>> KEYS =
      Stream.of(List.of(LOCAL_OUTPUT), ReadWaitConfig.KEYS, BackgroundConfig.KEYS)
          .<ConfigKey<?>>flatMap(List::stream)
          .toList();

  /**
   * @param push of map tasks
   */
  public static LocalOutputConfig from(ConfigSet set, PushConfig push) {
    return new LocalOutputConfig(
        set.get(LOCAL_OUTPUT), BackgroundConfig.from(set, push), ReadWaitConfig.from(set));
  }
}
