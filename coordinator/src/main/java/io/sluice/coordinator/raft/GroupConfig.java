package io.sluice.coordinator.raft;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.config.HostPort;
import java.util.List;
import java.util.Optional;

/**
 * The coordinators that share a metadata log.
 *
 * @param coordinators addresses of all coordinators; fewer than two: the log is not shared
 * @param self address of this coordinator in the list; empty: found by its port and its interfaces
 */
public record GroupConfig(List<HostPort> coordinators, Optional<HostPort> self) {
  public static final ConfigKey<List<HostPort>> COORDINATORS =
      ConfigKey.hostPorts("rss.coordinator.quorum")
          .doc(
              "Addresses of all coordinators of the cluster, as host:port,host:port, the same line as"
                  + " at servers and in jobs. Two or more coordinators share their state; decisions"
                  + " need a majority of them. Set it at every coordinator if there are several, with"
                  + " rss.coordinator.data.dir; use three or five.")
          .build();
  public static final ConfigKey<List<HostPort>> SELF =
      ConfigKey.hostPorts("rss.coordinator.quorum.self")
          .check(list -> list.size() == 1, "one host:port")
          .defaultText("the address with rss.rpc.server.port on an interface of this host")
          .doc(
              "Address of this coordinator in rss.coordinator.quorum. Set it if the other"
                  + " coordinators reach this one by an address of another host, such as a proxy.")
          .build();

  /** Keys of this record. */
  public static final List<ConfigKey<?>> KEYS = List.of(COORDINATORS, SELF);

  public static GroupConfig from(ConfigSet set) {
    return new GroupConfig(
        set.find(COORDINATORS).orElse(List.of()).stream().distinct().toList(),
        set.find(SELF).map(list -> list.get(0)));
  }

  /** Whether coordinators share the log. */
  public boolean isShared() {
    return coordinators.size() > 1;
  }
}
