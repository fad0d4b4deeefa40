package io.sluice.coordinator.quota;

import io.sluice.coordinator.file.PolledFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The operator's files of rules, read again and again. A file that is missing or wrong stops the
 * start; later it leaves what was read before, with one warning. Belongs to the one thread that
 * polls it.
 */
public final class RuleFiles {
  /**
   * Where the rules are; each is optional.
   *
   * @param access who may use the cluster
   * @param groups who is in which group
   * @param quotas limits of users
   * @param defaults what holds where no file says anything
   */
  public record Config(
      Optional<Path> access, Optional<Path> groups, Optional<Path> quotas, Limits defaults) {
    public boolean hasFiles() {
      return access.isPresent() || groups.isPresent() || quotas.isPresent();
    }
  }

  private final Optional<PolledFile<AccessRules>> access;
  private final Optional<PolledFile<Groups>> groups;
  private final Optional<PolledFile<QuotaRules>> quotas;
  private final Limits defaults;

  /**
   * @throws IOException one line: which file, and what is wrong with it
   */
  public RuleFiles(Config config) throws IOException {
    defaults = config.defaults();
    access = PolledFile.of(config.access(), AccessRules::parse);
    groups = PolledFile.of(config.groups(), Groups::parse);
    quotas = PolledFile.of(config.quotas(), text -> QuotaRules.parse(text, config.defaults()));
  }

  /** What the files say now. */
  public UsageRules read() {
    return new UsageRules(
        access.map(PolledFile::read).orElse(AccessRules.EVERYBODY),
        groups.map(PolledFile::read).orElse(Groups.NONE),
        quotas.map(PolledFile::read).orElseGet(() -> QuotaRules.ofAll(defaults)));
  }
}
