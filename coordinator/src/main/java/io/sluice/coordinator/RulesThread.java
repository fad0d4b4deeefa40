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
 * The thread that reads the operator's files of rules and client settings, and sums up the usage of
 * quotas. The owner calls {@link #start} and {@link #close}.
 */
final class RulesThread implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RulesThread.class);

  /** Usage changes with heartbeats, which arrive every few seconds. */
  private static final long USAGE_INTERVAL_MS = 1_000;

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
   * @param hasRuleFiles whether files of access rules or quotas are configured
   * @param clientSettings updated by this thread
   * @throws IOException if the file of client settings is invalid; the message is one line
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
    schedule(USAGE_INTERVAL_MS, () -> submit(watch.update(owner.view(), owner.nowMs())));
    if (hasRuleFiles) {
      schedule(checkIntervalMs, () -> submit(watch.readRules()));
    }
    clientConf.ifPresent(file -> schedule(checkIntervalMs, () -> clientSettings.set(file.read())));
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }

  private void schedule(long intervalMs, Runnable task) {
    Future<?> unused =
        executor.scheduleWithFixedDelay(
            () -> {
              try {
                task.run();
              } catch (RuntimeException e) {
                // An exception would stop the periodic task.
                log.error("rule files or quota usage could not be read", e);
              }
            },
            intervalMs,
            intervalMs,
            TimeUnit.MILLISECONDS);
  }

  private void submit(List<MetadataRecord> records) {
    if (records.isEmpty() || !owner.leads()) {
      return;
    }
    boolean accepted =
        owner.submit(
            (view, nowMs) -> new Decision<>(records, records.size()),
            new StateOwner.Outcome<>() {
              @Override
              public void decided(Integer count) {}

              @Override
              public void failed(Throwable cause) {
                log.error("quota events could not be recorded", cause);
              }
            });
    if (!accepted) {
      log.warn(
          "quota events dropped, the queue of the state thread is full events={}", records.size());
    }
    for (MetadataRecord record : records) {
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
