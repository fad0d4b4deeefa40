package io.sluice.coordinator.state;

import io.sluice.coordinator.assign.AssignmentConfig;
import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.quota.Quotas;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The decisions that currently apply; a configuration reload replaces them. If a reload shortens
 * the lease or the heartbeat timeout, drivers and servers get the new value at once. It is enforced
 * after the old, longer time has passed. Until then, some of them still report at the old interval.
 * Thread-safe.
 */
public final class CurrentDecisions implements Supplier<Decisions> {

  /**
   * @param meanwhile decisions until {@code untilNanos}
   * @param then decisions from {@code untilNanos} on
   */
  private record Stage(Decisions meanwhile, long untilNanos, Decisions then) {}

  private final Quotas quotas;
  private final LongSupplier nanoTime;
  private volatile Stage stage;

  public CurrentDecisions(
      ServerTableConfig servers,
      ApplicationConfig applications,
      AssignmentConfig assignment,
      Quotas quotas,
      LongSupplier nanoTime) {
    this.quotas = quotas;
    this.nanoTime = nanoTime;
    Decisions first = Decisions.of(servers, applications, assignment, quotas);
    this.stage = new Stage(first, nanoTime.getAsLong(), first);
  }

  @Override
  public Decisions get() {
    Stage now = stage;
    return nanoTime.getAsLong() - now.untilNanos() < 0 ? now.meanwhile() : now.then();
  }

  /** Replaces the configuration. */
  public synchronized void change(
      ServerTableConfig servers, ApplicationConfig applications, AssignmentConfig assignment) {
    Decisions before = get();
    long longestLeaseMs = Math.max(before.applicationPolicy().leaseMs(), applications.leaseMs());
    long longestSilenceMs = Math.max(before.serverPolicy().lostAfterMs(), servers.lostAfterMs());
    long waitMs =
        Math.max(
            longestLeaseMs > applications.leaseMs() ? longestLeaseMs : 0,
            longestSilenceMs > servers.lostAfterMs() ? longestSilenceMs : 0);
    stage =
        new Stage(
            Decisions.of(
                servers.withLostAfter(longestSilenceMs),
                applications.withEnforcedLease(longestLeaseMs),
                assignment,
                quotas),
            nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(waitMs),
            Decisions.of(servers, applications, assignment, quotas));
  }
}
