package io.sluice.coordinator;

import io.sluice.common.auth.AuditLog;
import io.sluice.common.auth.Revocations;
import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigReload;
import io.sluice.coordinator.api.ExcludeFile;
import io.sluice.coordinator.api.Exclusions;
import io.sluice.coordinator.history.ClusterHistory;
import io.sluice.coordinator.http.CoordinatorMetrics;
import io.sluice.coordinator.http.StateCollector;
import io.sluice.coordinator.log.InMemoryMetadataLog;
import io.sluice.coordinator.log.MetadataLog;
import io.sluice.coordinator.log.RocksMetadataLog;
import io.sluice.coordinator.quota.Quotas;
import io.sluice.coordinator.quota.RuleFiles;
import io.sluice.coordinator.raft.CoordinatorGroup;
import io.sluice.coordinator.service.AuditedProbe;
import io.sluice.coordinator.service.ClientSettings;
import io.sluice.coordinator.state.CurrentDecisions;
import io.sluice.coordinator.state.QuotaWatch;
import io.sluice.coordinator.state.StateClock;
import io.sluice.coordinator.state.StateLog;
import io.sluice.coordinator.state.StateOwner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of a coordinator, its metadata log, and the threads that read the exclude file and the
 * rule files and sample throughput. Thread-safe.
 *
 * @param durable whether the metadata log survives a restart
 * @param group coordinators that share the log; empty: the log is not shared
 * @param readyAtMs time from which shuffles are assigned, on the clock of the state
 */
record StateParts(
    StateOwner owner,
    ClusterHistory history,
    CurrentDecisions decisions,
    Quotas quotas,
    AtomicReference<ClientSettings> clientSettings,
    Exclusions exclusions,
    ConfigReload reload,
    boolean durable,
    Optional<CoordinatorGroup> group,
    long readyAtMs) {
  private static final Logger log = LoggerFactory.getLogger(StateParts.class);

  /**
   * Reads the log and starts the threads.
   *
   * @param revocations receives revoked tokens
   * @param group coordinators that share the log, not started; empty: the log is not shared
   * @param closers shutdown tasks; those of the log and the threads are pushed to the front
   * @throws IOException if the log or a file cannot be read; the message is one line
   */
  static StateParts start(
      CoordinatorConfig config,
      Inputs inputs,
      CoordinatorMetrics metrics,
      AuditLog audit,
      Revocations revocations,
      Optional<CoordinatorGroup> group,
      Deque<Runnable> closers)
      throws IOException {
    AtomicReference<RuleFiles> ruleFiles = new AtomicReference<>(new RuleFiles(config.quotas()));
    Quotas quotas = new Quotas(ruleFiles.get().read());
    CurrentDecisions decisions =
        new CurrentDecisions(
            config.servers(),
            config.applications(),
            config.assignment(),
            quotas,
            inputs.nanoTime());
    LongSupplier serverLostAfterMs = () -> decisions.get().serverPolicy().lostAfterMs();
    ClusterHistory history = new ClusterHistory();
    MetadataLog records = openLog(config.files().dataDirectory(), group, closers);
    closers.push(records::close);
    StateOwner owner =
        owner(records, inputs, decisions, quotas, history, metrics, audit, revocations);
    owner.start();
    closers.push(owner::close);
    new StateCollector(
            owner,
            serverLostAfterMs,
            () -> decisions.get().eligibility(),
            quotas,
            () ->
                new StateCollector.Quorum(
                    group.flatMap(CoordinatorGroup::problem).isEmpty(),
                    group.map(CoordinatorGroup::electionsWon).orElse(0L)))
        .register(metrics.registry());

    HistorySampler sampler = new HistorySampler(owner, history.throughput(), serverLostAfterMs);
    closers.push(sampler::close);
    sampler.start();
    Exclusions exclusions =
        new Exclusions(
            config.files().excludeFile().map(ExcludeFile::new),
            config.files().checkIntervalMs(),
            owner);
    closers.push(exclusions::close);
    exclusions.start();
    AtomicReference<ClientSettings> clientSettings = new AtomicReference<>(ClientSettings.NONE);
    RulesThread rules =
        new RulesThread(
            config.files(),
            config.quotas().hasFiles(),
            owner,
            new QuotaWatch(quotas, () -> ruleFiles.get().read(), serverLostAfterMs),
            clientSettings,
            audit);
    closers.push(rules::close);
    rules.start();
    return new StateParts(
        owner,
        history,
        decisions,
        quotas,
        clientSettings,
        exclusions,
        reload(inputs, ruleFiles, quotas, decisions),
        config.files().dataDirectory().isPresent(),
        group,
        owner.view().startedAtMs() + config.servers().startupSilenceMs());
  }

  private static ConfigReload reload(
      Inputs inputs,
      AtomicReference<RuleFiles> ruleFiles,
      Quotas quotas,
      CurrentDecisions decisions) {
    return new ConfigReload(
        inputs.set(),
        inputs.source(),
        changed -> {
          CoordinatorConfig next = CoordinatorConfig.from(changed);
          RuleFiles files = ruleFiles(next);
          quotas.rules(files.read());
          ruleFiles.set(files);
          decisions.change(next.servers(), next.applications(), next.assignment());
        });
  }

  /** The state that a log has, on a thread that is not started. */
  static StateOwner owner(
      MetadataLog records,
      Inputs inputs,
      CurrentDecisions decisions,
      Quotas quotas,
      ClusterHistory history,
      CoordinatorMetrics metrics,
      AuditLog audit,
      Revocations revocations)
      throws IOException {
    StateLog stateLog =
        new StateLog(records, inputs.nanoTime(), metrics, StateLog.SNAPSHOT_AFTER_BYTES);
    StateLog.Restored restored = stateLog.restore(history);
    quotas.limits(restored.view().limits());
    revocations.add(restored.view().orders().revocations().all());
    metrics.observe(stateLog);
    return new StateOwner(
        new StateClock(inputs.clock(), inputs.nanoTime(), restored.newestMs()),
        () -> decisions.get().timeouts(),
        stateLog,
        restored.view(),
        history,
        new AuditedProbe(metrics, audit),
        new StateWatcher(history, quotas, metrics, revocations));
  }

  private static MetadataLog openLog(
      Optional<Path> directory, Optional<CoordinatorGroup> group, Deque<Runnable> closers)
      throws IOException {
    if (group.isPresent()) {
      closers.push(group.get()::close);
      group.get().start();
      return group.get().log();
    }
    if (directory.isEmpty()) {
      log.info(
          "metadata log is in memory, exclusions, limits and history are lost at a restart: set {}",
          FilesConfig.DATA_DIR.name());
      return InMemoryMetadataLog.dropping();
    }
    try {
      return RocksMetadataLog.open(directory.get());
    } catch (IOException e) {
      throw new IOException(FilesConfig.DATA_DIR.name() + ": " + e.getMessage(), e);
    }
  }

  private static RuleFiles ruleFiles(CoordinatorConfig config) {
    try {
      return new RuleFiles(config.quotas());
    } catch (IOException e) {
      throw new ConfigException(e.getMessage());
    }
  }

  /** Reason why this coordinator is not ready for work; empty: it is ready. */
  Optional<String> notReady() {
    Optional<String> quorum = group.flatMap(CoordinatorGroup::problem);
    if (quorum.isPresent()) {
      return quorum;
    }
    Optional<String> behind = group.flatMap(CoordinatorGroup::behind);
    if (behind.isPresent()) {
      return behind;
    }
    Optional<String> problem = owner.logProblem();
    if (problem.isPresent()) {
      return Optional.of("the metadata log cannot be written: " + problem.get());
    }
    return owner.nowMs() < readyAtMs
        ? Optional.of("started recently, waiting for heartbeats of servers")
        : Optional.empty();
  }
}
