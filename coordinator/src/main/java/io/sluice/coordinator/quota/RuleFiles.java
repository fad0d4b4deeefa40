package io.sluice.coordinator.quota;

import io.sluice.common.file.WatchedFile;
import java.io.IOException;
import java.util.Optional;

/**
 * The operator's rule files, read periodically. At the start, a missing or invalid file is an
 * error. Later, the previous content stays in use and one warning is logged. Used by the polling
 * thread only.
 */
public final class RuleFiles {
  private final Optional<WatchedFile<AccessRules>> access;
  private final Optional<WatchedFile<Groups>> groups;
  private final Optional<WatchedFile<QuotaRules>> quotas;
  private final Limits defaults;

  /**
   * @throws IOException if a file is missing or invalid; the message is one line with the file and
   *     the error
   */
  public RuleFiles(QuotaConfig config) throws IOException {
    defaults = config.defaults();
    access = WatchedFile.open(config.access(), AccessRules::parse);
    groups = WatchedFile.open(config.groups(), Groups::parse);
    quotas = WatchedFile.open(config.quotas(), text -> QuotaRules.parse(text, config.defaults()));
  }

  /** Reads the files and returns their rules. */
  public UsageRules read() {
    return new UsageRules(
        access.map(WatchedFile::read).orElse(AccessRules.ALLOW_ALL),
        groups.map(WatchedFile::read).orElse(Groups.NONE),
        quotas.map(WatchedFile::read).orElseGet(() -> QuotaRules.ofAll(defaults)));
  }
}
