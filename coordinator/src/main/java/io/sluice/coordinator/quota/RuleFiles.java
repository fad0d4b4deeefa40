package io.sluice.coordinator.quota;

import io.sluice.common.file.WatchedFile;
import java.io.IOException;
import java.util.Optional;

/**
 * The operator's files of rules, read again and again. A file that is missing or wrong stops the
 * start; later it leaves what was read before, with one warning. Belongs to the one thread that
 * polls it.
 */
public final class RuleFiles {
  private final Optional<WatchedFile<AccessRules>> access;
  private final Optional<WatchedFile<Groups>> groups;
  private final Optional<WatchedFile<QuotaRules>> quotas;
  private final Limits defaults;

  /**
   * @throws IOException one line: which file, and what is wrong with it
   */
  public RuleFiles(QuotaConfig config) throws IOException {
    defaults = config.defaults();
    access = WatchedFile.open(config.access(), AccessRules::parse);
    groups = WatchedFile.open(config.groups(), Groups::parse);
    quotas = WatchedFile.open(config.quotas(), text -> QuotaRules.parse(text, config.defaults()));
  }

  /** What the files say now. */
  public UsageRules read() {
    return new UsageRules(
        access.map(WatchedFile::read).orElse(AccessRules.EVERYBODY),
        groups.map(WatchedFile::read).orElse(Groups.NONE),
        quotas.map(WatchedFile::read).orElseGet(() -> QuotaRules.ofAll(defaults)));
  }
}
