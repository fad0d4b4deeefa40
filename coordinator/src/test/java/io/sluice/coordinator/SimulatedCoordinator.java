package io.sluice.coordinator;

import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.auth.Revocations;
import io.sluice.common.config.ConfigSet;
import io.sluice.coordinator.api.LeaderCalls;
import io.sluice.coordinator.cluster.Fallbacks;
import io.sluice.coordinator.explain.Diagnosis;
import io.sluice.coordinator.explain.Finding;
import io.sluice.coordinator.history.ClusterHistory;
import io.sluice.coordinator.http.CoordinatorMetrics;
import io.sluice.coordinator.log.MetadataLog;
import io.sluice.coordinator.quota.Quotas;
import io.sluice.coordinator.quota.RuleFiles;
import io.sluice.coordinator.service.ClientSettings;
import io.sluice.coordinator.service.CoordinatorService;
import io.sluice.coordinator.state.CurrentDecisions;
import io.sluice.coordinator.state.StateOwner;
import io.sluice.metrics.http.HttpTimeouts;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A coordinator of a simulation: production classes over a metadata log of the caller. Its process
 * can end and start again. Time and randomness come from the caller. Belongs to one thread, on
 * which {@link #runPending} decides.
 */
public final class SimulatedCoordinator {
  private final CoordinatorConfig config;
  private final Inputs inputs;
  private final Supplier<MetadataLog> logs;
  private final LeaderCalls leader;
  private ClusterHistory history;
  private StateOwner owner;
  private CoordinatorService service;

  /**
   * @param logs opens the metadata log, once for each process
   * @param leader executes calls while another coordinator leads
   */
  public SimulatedCoordinator(
      Map<String, String> settings,
      Clock clock,
      LongSupplier nanoTime,
      Random random,
      Supplier<MetadataLog> logs,
      LeaderCalls leader) {
    this.logs = logs;
    this.leader = leader;
    ConfigSet set = ConfigSet.of(CoordinatorConfig.SCHEMA, settings);
    this.config = CoordinatorConfig.from(set);
    this.inputs = new Inputs(set, () -> set, clock, nanoTime, random, HttpTimeouts.DEFAULT);
  }

  /** Starts a process on its log. */
  public void start() throws IOException {
    history = new ClusterHistory();
    PortLimits limits = PortLimits.of(config.ports(), inputs.nanoTime());
    CoordinatorMetrics metrics = limits.metrics();
    Quotas quotas = new Quotas(new RuleFiles(config.quotas()).read());
    CurrentDecisions decisions =
        new CurrentDecisions(
            config.servers(),
            config.applications(),
            config.assignment(),
            quotas,
            inputs.nanoTime());
    owner =
        StateParts.owner(
            logs.get(),
            inputs,
            decisions,
            quotas,
            history,
            metrics,
            limits.audit(),
            new Revocations(inputs.clock()));
    service =
        new CoordinatorService(
            owner,
            leader,
            decisions,
            () -> ClientSettings.NONE,
            metrics,
            ClusterSecurity.OFF.grants(),
            Runnable::run,
            inputs.nanoTime(),
            inputs.seeds());
  }

  /** Ends the process at once. */
  public void crash() {
    owner = null;
    service = null;
  }

  public boolean isRunning() {
    return owner != null;
  }

  /** The protocol of the running process. */
  public CoordinatorService service() {
    return service;
  }

  /** Decides the requests that arrived, and lets time pass. */
  public void runPending() {
    if (owner != null) {
      owner.runPending();
    }
  }

  /** Causes of delays of an application, from the last report of its driver. */
  public List<Finding> explain(String application) {
    return Diagnosis.of(
        history.tasks().of(application).orElseThrow(),
        Fallbacks.NONE,
        owner.view().servers().all());
  }

  /** Whether the running process decides. */
  public boolean leads() {
    return owner != null && owner.leads();
  }

  /** Live applications that the running process knows. */
  public int applications() {
    return owner.view().applications().liveCount();
  }
}
