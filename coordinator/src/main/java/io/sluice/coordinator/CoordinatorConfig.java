package io.sluice.coordinator;

import io.sluice.common.auth.SecurityConfig;
import io.sluice.common.config.ConfigSchema;
import io.sluice.common.config.ConfigSet;
import io.sluice.coordinator.assign.AssignmentConfig;
import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.quota.QuotaConfig;
import io.sluice.coordinator.raft.GroupConfig;
import java.util.Optional;
import java.util.function.Consumer;

/** The coordinator's configuration: the records of its components, which declare the keys. */
public record CoordinatorConfig(
    CoordinatorPortsConfig ports,
    FilesConfig files,
    GroupConfig group,
    ServerTableConfig servers,
    ApplicationConfig applications,
    AssignmentConfig assignment,
    QuotaConfig quotas,
    SecurityConfig security) {

  /** Every key of the coordinator. */
  public static final ConfigSchema SCHEMA =
      SecurityConfig.withoutSecrets(
              ConfigSchema.builder("coordinator")
                  .title("Coordinator")
                  .intro("Keys of the file given by `sluice coordinator --conf FILE`.")
                  .first(
                      "rss.coordinator.data.dir",
                      "rss.coordinator.quorum",
                      "rss.security.authentication.enabled"))
          .keys(CoordinatorPortsConfig.KEYS)
          .keys(FilesConfig.KEYS)
          .keys(GroupConfig.KEYS)
          .keys(ServerTableConfig.KEYS)
          .keys(ApplicationConfig.KEYS)
          .keys(AssignmentConfig.KEYS)
          .keys(QuotaConfig.KEYS)
          .keys(SecurityConfig.KEYS)
          .keys(SecurityConfig.TOKEN_LIFETIME)
          .ignoredIn(CoordinatorConfig.class, "uniffle-keys.txt")
          .rule(set -> problem(set, ServerTableConfig::from))
          .rule(set -> problem(set, FilesConfig::from))
          .rule(CoordinatorConfig::directoryMissing)
          .build();

  public static CoordinatorConfig from(ConfigSet set) {
    return new CoordinatorConfig(
        CoordinatorPortsConfig.from(set),
        FilesConfig.from(set),
        GroupConfig.from(set),
        ServerTableConfig.from(set),
        ApplicationConfig.from(set),
        AssignmentConfig.from(set),
        QuotaConfig.from(set),
        SecurityConfig.from(set, set.get(SecurityConfig.TOKEN_LIFETIME)));
  }

  private static Optional<String> directoryMissing(ConfigSet set) {
    return GroupConfig.from(set).isShared() && set.findPath(FilesConfig.DATA_DIR).isEmpty()
        ? Optional.of(
            GroupConfig.COORDINATORS.name()
                + " names several coordinators, which share their state on disk: set "
                + FilesConfig.DATA_DIR.name())
        : Optional.empty();
  }

  private static Optional<String> problem(ConfigSet set, Consumer<ConfigSet> part) {
    try {
      part.accept(set);
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of(e.getMessage());
    }
  }
}
