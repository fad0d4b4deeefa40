package io.sluice.client;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * Servers that a shuffle gets after a server failed or a partition became too large for it.
 *
 * @param maxServers maximum number of servers that a shuffle gets in addition to its first ones; 0:
 *     none
 */
public record ReassignConfig(int maxServers) {
  static final ConfigKey<Boolean> REASSIGN =
      ConfigKey.bool("rss.client.reassign.enabled")
          .defaultValue(true)
          .doc(
              "Whether a shuffle gets another server when one fails or reports a partition as"
                  + " full. If `false`, the blocks go to local output. Set it to `false` only to"
                  + " find a fault.")
          .build();

  static final ConfigKey<Integer> REASSIGN_MAX =
      ConfigKey.integer("rss.client.reassign.maxReassignServerNum")
          .defaultValue(10)
          .atLeast(1)
          .atMost(1000)
          .doc(
              "Maximum number of replacement and additional servers of one shuffle. Raise it for"
                  + " jobs of many hours in clusters whose servers restart often.")
          .build();

  public static final List<ConfigKey<?>> KEYS = List.of(REASSIGN, REASSIGN_MAX);

  public ReassignConfig {
    if (maxServers < 0) {
      throw new IllegalArgumentException("expected maxServers of at least 0, found " + maxServers);
    }
  }

  public static ReassignConfig from(ConfigSet set) {
    return new ReassignConfig(set.get(REASSIGN) ? set.get(REASSIGN_MAX) : 0);
  }
}
