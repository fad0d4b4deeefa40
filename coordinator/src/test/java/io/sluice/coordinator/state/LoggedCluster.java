package io.sluice.coordinator.state;

import io.sluice.common.auth.Revocation;
import io.sluice.coordinator.assign.AssignmentConfig;
import io.sluice.coordinator.assign.HostRule;
import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.DecommissionOrder;
import io.sluice.coordinator.cluster.ExcludeList;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.history.ClusterHistory;
import io.sluice.coordinator.history.ThroughputHistory;
import io.sluice.coordinator.log.MetadataLog;
import io.sluice.coordinator.quota.Limits;
import io.sluice.coordinator.quota.Quotas;
import io.sluice.coordinator.quota.UsageRules;
import io.sluice.proto.ApplicationReport;
import io.sluice.proto.HeartbeatReply;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RenewLeaseRequest;
import io.sluice.proto.ServerTime;
import io.sluice.proto.Status;
import io.sluice.proto.TaskReport;
import io.sluice.proto.UnregisterApplicationReply;
import io.sluice.proto.UnregisterApplicationRequest;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * State of a coordinator with a log, the state thread, real decisions, and a clock that the test
 * advances. {@link #close} stops the thread and leaves the log open.
 */
final class LoggedCluster implements AutoCloseable {
  static final long WALL_MS = 1_795_000_000_000L;
  static final long LOST_AFTER_MS = 30_000;
  static final long LEASE_MS = 60_000;
  static final int MAX_ENDED = 20;

  private static final long WAIT_SECONDS = 60;

  final ClusterHistory history = new ClusterHistory();
  final StateOwner owner;
  final Decisions decisions;
  private final AtomicLong nanos;
  private final boolean threaded;

  LoggedCluster(MetadataLog log, AtomicLong nanos) throws IOException {
    this(log, nanos, StateLog.SNAPSHOT_AFTER_BYTES);
  }

  /**
   * @param nanos the time; continues when the cluster is opened again
   */
  LoggedCluster(MetadataLog log, AtomicLong nanos, long snapshotAfterBytes) throws IOException {
    this(log, nanos, snapshotAfterBytes, true);
  }

  /**
   * @param threaded whether a thread decides; otherwise each call does
   */
  LoggedCluster(MetadataLog log, AtomicLong nanos, long snapshotAfterBytes, boolean threaded)
      throws IOException {
    this.nanos = nanos;
    this.threaded = threaded;
    this.decisions =
        Decisions.of(
            new ServerTableConfig(LOST_AFTER_MS, 5000, 3_600_000, 100, 0),
            new ApplicationConfig(LEASE_MS, 100, 600_000, MAX_ENDED, 50),
            new AssignmentConfig(HostRule.PREFER_DIFF, 9, 0.95),
            new Quotas(UsageRules.ofAll(Limits.NONE)));
    StateLog stateLog = new StateLog(log, nanos::get, StateLog.Probe.NONE, snapshotAfterBytes);
    StateLog.Restored restored = stateLog.restore(history);
    Clock wall =
        Clock.fixed(
            Instant.ofEpochMilli(WALL_MS + TimeUnit.NANOSECONDS.toMillis(nanos.get())),
            ZoneOffset.UTC);
    owner =
        new StateOwner(
            new StateClock(wall, nanos::get, restored.newestMs()),
            decisions::timeouts,
            stateLog,
            restored.view(),
            history,
            (requests, oldestWaitNanos) -> {},
            this::changed);
    if (threaded) {
      owner.start();
    }
  }

  private void changed(MetadataRecord record, ClusterView changed, Instant at) {
    if (record instanceof MetadataRecord.TasksReported tasks) {
      history.tasks().reported(tasks.application(), tasks.report());
    }
  }

  ClusterView view() {
    return owner.view();
  }

  /** State that a restart must preserve. */
  List<LoggedChange> logged() {
    return LoggedState.of(owner.view(), history);
  }

  void pass(long ms) {
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
  }

  /** Checks timeouts, like the state thread once a second. */
  void checkTimeouts() {
    submit((view, nowMs) -> Decision.repeated(decisions.timeouts().expired(view, nowMs), 0));
  }

  <R> R submit(StateOwner.Decider<R> decider) {
    CompletableFuture<R> reply = owner.submit(decider);
    if (!threaded) {
      owner.runPending();
    }
    try {
      return reply.get(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  void change(MetadataRecord record) {
    submit((view, nowMs) -> Decision.of(record, 0));
  }

  void exclude(String... entries) {
    change(new LoggedChange.ExclusionsSet(ExcludeList.parse(List.of(entries))));
  }

  void revoke(String user, long lifetimeMs) {
    long atMs = Math.max(owner.nowMs(), view().orders().revocations().revision() + 1);
    change(new LoggedChange.TokensRevoked(Revocation.ofUser(user, atMs, atMs + lifetimeMs)));
  }

  void limit(String user, Map<String, Long> named) {
    change(new LoggedChange.LimitsSet(user, named));
  }

  HeartbeatReply heartbeat(HeartbeatRequest.Builder beat) {
    return submit((view, nowMs) -> decisions.servers().heartbeat(view, beat.build(), nowMs));
  }

  /** The server of the heartbeat accepts a decommission. */
  void decommission(HeartbeatRequest.Builder beat, boolean move) {
    submit(
        (view, nowMs) ->
            Decision.of(
                new LoggedChange.DecommissionOrdered(
                    new DecommissionOrder(
                        beat.getServer().getName(), beat.getServer().getEpoch(), 0, move, nowMs)),
                0));
  }

  Status register(String application, String user) {
    return submit(
            (view, nowMs) ->
                decisions
                    .applications()
                    .register(
                        view,
                        RegisterApplicationRequest.newBuilder()
                            .setApplication(application)
                            .setUser(user)
                            .setClientVersion("1")
                            .build(),
                        nowMs))
        .getStatus();
  }

  Status renew(String application, int fallbacks, String reason) {
    return renew(
        RenewLeaseRequest.newBuilder()
            .setApplication(application)
            .setReport(
                ApplicationReport.newBuilder()
                    .setFallbackShuffles(fallbacks)
                    .setLastFallbackReason(reason))
            .build());
  }

  /** Renews a lease with a report about tasks that waited for a server. */
  Status report(String application, String server, long waitMs) {
    return renew(
        RenewLeaseRequest.newBuilder()
            .setApplication(application)
            .setReport(
                ApplicationReport.newBuilder()
                    .setTasks(
                        TaskReport.newBuilder()
                            .setPushedBytes(1000)
                            .addServers(
                                ServerTime.newBuilder().setServer(server).setPushWaitMs(waitMs))))
            .build());
  }

  private Status renew(RenewLeaseRequest request) {
    return submit((view, nowMs) -> decisions.applications().renew(view, request, nowMs))
        .getStatus();
  }

  UnregisterApplicationReply unregister(String application) {
    return submit(
        (view, nowMs) ->
            decisions
                .applications()
                .unregister(
                    view,
                    UnregisterApplicationRequest.newBuilder().setApplication(application).build(),
                    nowMs));
  }

  /** Takes a throughput sample, and logs the samples if there are enough. */
  void sample(int logAtLeast) {
    ThroughputHistory throughput = history.throughput();
    throughput.sample(view().servers(), view().excluded(), LOST_AFTER_MS, owner.nowMs());
    throughput
        .unlogged(logAtLeast)
        .ifPresent(batch -> change(new LoggedChange.ThroughputSampled(batch)));
  }

  @Override
  public void close() {
    if (threaded) {
      owner.close();
    }
  }
}
