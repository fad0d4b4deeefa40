package io.sluice.coordinator.quota;

import java.util.HashMap;
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
 * @param sources sources of the limits that are not from the configuration, by their names in the
 *     quota file
 */
public record Limits(
    long applications,
    long userBytes,
    long userPartitions,
    long applicationBytes,
    long applicationPartitions,
    Map<String, Source> sources) {
  public static final long UNLIMITED = -1;
  public static final Limits NONE =
      new Limits(UNLIMITED, UNLIMITED, UNLIMITED, UNLIMITED, UNLIMITED);

  /** Where a limit comes from. */
  enum Source {
    CONFIGURATION,
    FILE,
    /** An operator set it through the API. */
    API
  }

  public Limits {
    sources = Map.copyOf(sources);
  }

  /** Limits from the configuration. */
  public Limits(
      long applications,
      long userBytes,
      long userPartitions,
      long applicationBytes,
      long applicationPartitions) {
    this(
        applications, userBytes, userPartitions, applicationBytes, applicationPartitions, Map.of());
  }

  /** The source of the limit with this name in the quota file. */
  Source source(String name) {
    return sources.getOrDefault(name, Source.CONFIGURATION);
  }

  /** Whether bytes or partitions are limited. */
  boolean limitsData() {
    return userBytes >= 0
        || userPartitions >= 0
        || applicationBytes >= 0
        || applicationPartitions >= 0;
  }

  /** Returns these limits with the named ones replaced. */
  Limits with(Map<String, Long> named, Source source) {
    Map<String, Source> changed = new HashMap<>(sources);
    named.keySet().forEach(name -> changed.put(name, source));
    return new Limits(
        named.getOrDefault("applications", applications),
        named.getOrDefault("bytes", userBytes),
        named.getOrDefault("partitions", userPartitions),
        named.getOrDefault("application.bytes", applicationBytes),
        named.getOrDefault("application.partitions", applicationPartitions),
        changed);
  }
}
