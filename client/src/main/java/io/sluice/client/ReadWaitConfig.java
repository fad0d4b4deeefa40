package io.sluice.client;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * How long readers wait for map output of the background push.
 *
 * @param waitMs maximum wait of one read; 0: none
 * @param permille share of complete map attempts at a server that ends the wait, 0..1000
 */
public record ReadWaitConfig(long waitMs, int permille) {
  static final ConfigKey<Long> MERGE_WAIT =
      ConfigKey.durationMs("rss.merge.wait")
          .defaultValue(10_000L)
          .atLeast(0L)
          .atMost(3_600_000L)
          .doc(
              "Maximum time for which a reduce task waits for blocks of the background push,"
                  + " before it reads the missing ones from local output. It applies with"
                  + " rss.local.output=`ALWAYS`. Raise it if servers are slower than the map"
                  + " tasks.")
          .build();

  static final ConfigKey<Double> MERGE_THRESHOLD =
      ConfigKey.percent("rss.merge.threshold")
          .defaultValue(95.0)
          .doc(
              "Percentage of map attempts whose blocks are on a server at which a reduce task"
                  + " stops waiting for the background push. It applies with"
                  + " rss.local.output=`ALWAYS`. Lower it if reduce tasks often wait for the last"
                  + " map tasks.")
          .build();

  public static final List<ConfigKey<?>> KEYS = List.of(MERGE_WAIT, MERGE_THRESHOLD);

  public ReadWaitConfig {
    if (waitMs < 0 || permille < 0 || permille > 1000) {
      throw new IllegalArgumentException(
          "invalid read wait: expected waitMs of at least 0 and permille of 0 to 1000, found"
              + " waitMs="
              + waitMs
              + " permille="
              + permille);
    }
  }

  public static ReadWaitConfig from(ConfigSet set) {
    return new ReadWaitConfig(set.get(MERGE_WAIT), (int) Math.round(set.get(MERGE_THRESHOLD) * 10));
  }
}
