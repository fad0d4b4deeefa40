package io.sluice.coordinator.cluster;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import java.util.List;

/**
 * How long applications live and what is kept of them. It bounds the coordinator's memory: an
 * application takes about 500 bytes and 8 for each remembered shuffle.
 *
 * @param leaseMs how long an application lives without a sign of life
 * @param toldLeaseMs what drivers are told of it; shorter for a while when it has been made shorter
 * @param maxApplications most live applications
 * @param endedRememberedMs how long an ended application is remembered, so that every server learns
 *     of its end
 * @param maxEndedRemembered most ended applications that are remembered
 * @param shufflesRemembered most shuffles that are remembered of one application
 */
public record ApplicationConfig(
    long leaseMs,
    long toldLeaseMs,
    int maxApplications,
    long endedRememberedMs,
    int maxEndedRemembered,
    int shufflesRemembered) {
  /** Many heartbeats; servers drop what was forgotten before when its lease has passed. */
  private static final long ENDED_REMEMBERED_MS = 600_000;

  private static final int MAX_ENDED_REMEMBERED = 10_000;
  private static final int SHUFFLES_REMEMBERED = 1_000;

  static final ConfigKey<Long> LEASE =
      ConfigKey.durationMs("rss.coordinator.app.expired")
          .defaultValue(60_000L)
          .atLeast(100L)
          .reloadable()
          .doc(
              "Lease of an application: how long it lives without a call of its driver, which"
                  + " renews it every third of that time. Then servers delete its shuffles. A lower"
                  + " value takes effect once the old one has passed. Raise it if garbage"
                  + " collections of large drivers take longer.")
          .build();
  static final ConfigKey<Integer> APPLICATIONS_MAX =
      ConfigKey.integer("rss.coordinator.app.max")
          .defaultValue(10_000)
          .atLeast(1)
          .atMost(1_000_000)
          .reloadable()
          .doc(
              "Maximum number of live applications; further ones use their engine's own shuffle."
                  + " An application takes about 8 KB of the coordinator's heap. Raise it with the"
                  + " heap, if more run at a time.")
          .build();

  /** The keys that this record is made from. */
  public static final List<ConfigKey<?>> KEYS = List.of(LEASE, APPLICATIONS_MAX);

  /** With a lease that drivers know. */
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

  /** The same for drivers, which have this time all the same. */
  public ApplicationConfig heldTo(long otherLeaseMs) {
    return new ApplicationConfig(
        otherLeaseMs,
        toldLeaseMs,
        maxApplications,
        endedRememberedMs,
        maxEndedRemembered,
        shufflesRemembered);
  }
}
