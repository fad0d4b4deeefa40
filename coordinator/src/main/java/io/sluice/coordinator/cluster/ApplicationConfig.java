package io.sluice.coordinator.cluster;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * Leases and limits of applications. They bound the coordinator's memory: an application takes
 * about 500 bytes, plus 8 bytes per remembered shuffle.
 *
 * @param leaseMs lease: an application expires after this time without a call of its driver
 * @param announcedLeaseMs lease in replies to drivers; below {@code leaseMs} for a transition
 *     period after the lease was shortened
 * @param maxApplications maximum number of live applications
 * @param endedRememberedMs time for which an ended application is remembered, so that every server
 *     is notified
 * @param maxEndedRemembered maximum number of remembered ended applications
 * @param shufflesRemembered maximum number of remembered shuffles of one application
 */
public record ApplicationConfig(
    long leaseMs,
    long announcedLeaseMs,
    int maxApplications,
    long endedRememberedMs,
    int maxEndedRemembered,
    int shufflesRemembered) {
  /**
   * Many heartbeat intervals. A server that missed all of them deletes the data when the lease
   * expires.
   */
  private static final long ENDED_REMEMBERED_MS = 600_000;

  private static final int MAX_ENDED_REMEMBERED = 10_000;
  private static final int SHUFFLES_REMEMBERED = 1_000;

  static final ConfigKey<Long> LEASE =
      ConfigKey.durationMs("rss.coordinator.app.expired")
          .defaultValue(60_000L)
          .atLeast(100L)
          .reloadable()
          .doc(
              "Lease of an application: after this time without a call of its driver, servers"
                  + " delete its shuffles. Drivers renew it at a third of the time; after a"
                  + " reload, a lower value takes effect once the old lease has passed. Raise it"
                  + " if garbage collections of large drivers take longer.")
          .build();
  static final ConfigKey<Integer> APPLICATIONS_MAX =
      ConfigKey.integer("rss.coordinator.app.max")
          .defaultValue(10_000)
          .atLeast(1)
          .atMost(1_000_000)
          .reloadable()
          .doc(
              "Maximum number of live applications; applications beyond it use the built-in"
                  + " shuffle. An application takes about 8 KB of the coordinator's heap. Raise"
                  + " it, with the heap, if more applications run at a time.")
          .build();

  /** Keys of this record. */
  public static final List<ConfigKey<?>> KEYS = List.of(LEASE, APPLICATIONS_MAX);

  /** Creates a configuration whose announced lease equals the lease. */
  public ApplicationConfig(
      long leaseMs,
      int maxApplications,
      long endedRememberedMs,
      int maxEndedRemembered,
      int shufflesRemembered) {
    this(
        leaseMs,
        leaseMs,
        maxApplications,
        endedRememberedMs,
        maxEndedRemembered,
        shufflesRemembered);
  }

  public static ApplicationConfig from(ConfigSet set) {
    return new ApplicationConfig(
        set.get(LEASE),
        set.get(APPLICATIONS_MAX),
        ENDED_REMEMBERED_MS,
        MAX_ENDED_REMEMBERED,
        SHUFFLES_REMEMBERED);
  }

  /** Returns this configuration with another enforced lease; the announced lease is unchanged. */
  public ApplicationConfig withEnforcedLease(long enforcedLeaseMs) {
    return new ApplicationConfig(
        enforcedLeaseMs,
        announcedLeaseMs,
        maxApplications,
        endedRememberedMs,
        maxEndedRemembered,
        shufflesRemembered);
  }
}
