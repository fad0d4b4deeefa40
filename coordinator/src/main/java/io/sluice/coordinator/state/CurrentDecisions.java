package io.sluice.coordinator.state;

import io.sluice.coordinator.assign.AssignmentConfig;
import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.quota.Quotas;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The decisions in force, whatever configuration they were last made of. A lease or a silence that
 * has become shorter is told to everybody at once, and held against nobody before the longer one
 * has passed: until then there are drivers and servers that report as they were told before.
 * Thread-safe.
 */
public final class CurrentDecisions implements Supplier<Decisions> {

  /**
   * @param untilNanos when what follows takes over
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

  /** Decides by other rules from now on. */
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
                servers.lostAfter(longestSilenceMs),
                applications.heldTo(longestLeaseMs),
                assignment,
                quotas),
            nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(waitMs),
            Decisions.of(servers, applications, assignment, quotas));
  }
}
