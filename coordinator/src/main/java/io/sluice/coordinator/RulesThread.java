package io.sluice.coordinator;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.common.auth.AuditEntry;
import io.sluice.common.auth.AuditLog;
import io.sluice.common.file.WatchedFile;
import io.sluice.coordinator.service.ClientSettings;
import io.sluice.coordinator.state.Decision;
import io.sluice.coordinator.state.MetadataRecord;
import io.sluice.coordinator.state.QuotaWatch;
import io.sluice.coordinator.state.StateOwner;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that reads the operator's files of rules and settings, and adds up what is used. Its
 * owner calls {@link #start} and {@link #close}.
 */
final class RulesThread implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RulesThread.class);

  /** Heartbeats bring news every few seconds. */
  private static final long LOOK_EVERY_MS = 1_000;

  private final long checkIntervalMs;
  private final boolean hasRuleFiles;
  private final StateOwner owner;
  private final QuotaWatch watch;
  private final Optional<WatchedFile<ClientSettings>> clientConf;
  private final AtomicReference<ClientSettings> clientSettings;
  private final AuditLog audit;
  private final ScheduledExecutorService executor =
      Executors.newSingleThreadScheduledExecutor(
          new DefaultThreadFactory("coordinator-rules", true));

  /**
   * @param hasRuleFiles whether there are files of access or quotas
   * @param clientSettings kept up to date
   * @throws IOException one line: what is wrong with the file of settings for jobs
   */
  RulesThread(
      FilesConfig files,
      boolean hasRuleFiles,
      StateOwner owner,
      QuotaWatch watch,
      AtomicReference<ClientSettings> clientSettings,
      AuditLog audit)
      throws IOException {
    this.checkIntervalMs = files.checkIntervalMs();
    this.hasRuleFiles = hasRuleFiles;
    this.owner = owner;
    this.watch = watch;
    this.clientSettings = clientSettings;
    this.audit = audit;
    this.clientConf = WatchedFile.open(files.clientSettingsFile(), ClientSettings::parse);
    clientConf.ifPresent(file -> clientSettings.set(file.read()));
  }

  void start() {
    every(LOOK_EVERY_MS, () -> tell(watch.look(owner.view(), owner.nowMs())));
    if (hasRuleFiles) {
      every(checkIntervalMs, () -> tell(watch.readRules()));
    }
    clientConf.ifPresent(file -> every(checkIntervalMs, () -> clientSettings.set(file.read())));
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }

  private void every(long intervalMs, Runnable task) {
    Future<?> unused =
        executor.scheduleWithFixedDelay(
            () -> {
              try {
                task.run();
              } catch (RuntimeException e) {
                // An exception would end it for good.
                log.error("rules not looked at", e);
              }
            },
            intervalMs,
            intervalMs,
            TimeUnit.MILLISECONDS);
  }

  private void tell(List<MetadataRecord> news) {
    if (news.isEmpty()) {
      return;
    }
    boolean told =
        owner.submit(
            (view, nowMs) -> new Decision<>(news, news.size()),
            new StateOwner.Outcome<>() {
              @Override
              public void decided(Integer count) {}

              @Override
              public void failed(Throwable cause) {
                log.error("quotas not told", cause);
              }
            });
    if (!told) {
      log.warn("quotas not told, the state thread has too much to do news={}", news.size());
    }
    for (MetadataRecord record : news) {
      if (record instanceof MetadataRecord.QuotaReached reached) {
        audit.write(
            new AuditEntry(
                AuditEntry.Action.QUOTA,
                "DENIED",
                reached.application(),
                "",
                "",
                "",
                reached.denial().message()));
      } else if (record instanceof MetadataRecord.QuotaLeft left) {
        audit.write(
            AuditEntry.happened(
                AuditEntry.Action.QUOTA, left.application(), "below its quota again"));
      }
    }
  }
}
