package io.sluice.coordinator.quota;

import java.util.Map;

/**
 * What one user, and each application of that user, may have. Negative: no limit. Immutable.
 *
 * @param applications live applications of the user
 * @param userBytes bytes that servers hold for all of them
 * @param userPartitions partitions that servers hold for all of them, copies counted
 * @param applicationBytes bytes that servers hold for one of them
 * @param applicationPartitions partitions that servers hold for one of them, copies counted
 */
public record Limits(
    long applications,
    long userBytes,
    long userPartitions,
    long applicationBytes,
    long applicationPartitions) {
  public static final long UNLIMITED = -1;
  public static final Limits NONE =
      new Limits(UNLIMITED, UNLIMITED, UNLIMITED, UNLIMITED, UNLIMITED);

  /** Whether anything but the number of applications is limited. */
  boolean limitsData() {
    return userBytes >= 0
        || userPartitions >= 0
        || applicationBytes >= 0
        || applicationPartitions >= 0;
  }

  /** These limits, with others in the place of those that a line names. */
  Limits with(Map<String, Long> named) {
    return new Limits(
        named.getOrDefault("applications", applications),
        named.getOrDefault("bytes", userBytes),
        named.getOrDefault("partitions", userPartitions),
        named.getOrDefault("application.bytes", applicationBytes),
        named.getOrDefault("application.partitions", applicationPartitions));
  }
}
