package io.sluice.coordinator.quota;

import java.util.Map;

/**
 * Limits of a user and of each application of that user. Negative: no limit. Immutable.
 *
 * @param applications maximum live applications of the user
 * @param userBytes maximum bytes on servers of all applications of the user
 * @param userPartitions maximum partitions on servers of all applications of the user, replicas
 *     counted
 * @param applicationBytes maximum bytes on servers of one application
 * @param applicationPartitions maximum partitions on servers of one application, replicas counted
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

  /** Whether bytes or partitions are limited. */
  boolean limitsData() {
    return userBytes >= 0
        || userPartitions >= 0
        || applicationBytes >= 0
        || applicationPartitions >= 0;
  }

  /** Returns these limits with the named ones replaced. */
  Limits with(Map<String, Long> named) {
    return new Limits(
        named.getOrDefault("applications", applications),
        named.getOrDefault("bytes", userBytes),
        named.getOrDefault("partitions", userPartitions),
        named.getOrDefault("application.bytes", applicationBytes),
        named.getOrDefault("application.partitions", applicationPartitions));
  }
}
