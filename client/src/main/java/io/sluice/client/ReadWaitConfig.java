package io.sluice.client;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * How long readers wait for map output that is pushed after its task.
 *
 * @param waitMs maximum wait of one read; 0: none
 * @param permille share of the map attempts that ends the wait, 1..1000
 */
public record ReadWaitConfig(long waitMs, int permille) {
  static final ConfigKey<Long> MERGE_WAIT =
      ConfigKey.durationMs("rss.merge.wait")
          .defaultValue(10_000L)
          .atLeast(0L)
          .atMost(3_600_000L)
          .doc(
              "How long a reduce task waits for map output that is still being pushed before it"
                  + " reads the rest from local output; only with `ALWAYS` in rss.local.output. Raise"
                  + " it if servers are slower than the map tasks.")
          .build();

  static final ConfigKey<Double> MERGE_THRESHOLD =
      ConfigKey.percent("rss.merge.threshold")
          .defaultValue(95.0)
          .doc(
              "Percentage of map attempts complete on a server at which a reduce task reads"
                  + " without a wait; only with `ALWAYS` in rss.local.output. Lower it if reduce tasks"
                  + " often wait for the last map tasks.")
          .build();

  public static final List<ConfigKey<?>> KEYS = List.of(MERGE_WAIT, MERGE_THRESHOLD);

  public ReadWaitConfig {
    if (waitMs < 0 || permille < 0 || permille > 1000) {
      throw new IllegalArgumentException(
          "read wait: expected a wait from 0 and a share of 0..1000 permille, found waitMs="
              + waitMs
              + " permille="
              + permille);
    }
  }

  public static ReadWaitConfig from(ConfigSet set) {
    return new ReadWaitConfig(set.get(MERGE_WAIT), (int) Math.round(set.get(MERGE_THRESHOLD) * 10));
  }
}
