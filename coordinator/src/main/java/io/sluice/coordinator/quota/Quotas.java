package io.sluice.coordinator.quota;

import io.sluice.common.config.DataSize;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Checks applications and shuffles against the current access rules, limits and usage. One thread
 * replaces rules and usage, each as a whole; any thread may check.
 */
public final class Quotas {
  private static final String BUILT_IN_SHUFFLE = ". The built-in shuffle is used";

  private volatile UsageRules rules;
  private volatile SetLimits set = SetLimits.NONE;
  private volatile Usage usage = Usage.EMPTY;
  private volatile Map<String, Denial> overQuota = Map.of();

  public Quotas(UsageRules rules) {
    this.rules = rules;
  }

  public UsageRules rules() {
    return rules;
  }

  public Usage usage() {
    return usage;
  }

  /** Replaces the rules. */
  public void rules(UsageRules newer) {
    rules = newer;
  }

  /**
   * Replaces the limits that operators set through the API, which take precedence over the rules.
   */
  public void limits(SetLimits newer) {
    set = newer;
  }

  /**
   * Replaces the usage.
   *
   * @param users finds the user of a live application
   * @return the applications over a quota, and the reason
   */
  public Map<String, Denial> updateUsage(Usage newer, UserLookup users) {
    UsageRules current = rules;
    Map<String, Denial> over = new TreeMap<>();
    for (String application : newer.applications()) {
      users
          .find(application)
          .flatMap(user -> reached(set.of(user, current.limits(user)), newer, application, user, 0))
          .ifPresent(denial -> over.put(application, denial));
    }
    usage = newer;
    overQuota = Map.copyOf(over);
    return over;
  }

  /** Finds the user of an application. */
  public interface UserLookup {
    /** Returns the user, or empty if the application is not live. */
    Optional<String> find(String application);
  }

  /**
   * Returns the reason why a user may not register an application; empty: the user may.
   *
   * @param applications number of live applications of the user
   */
  public Optional<Denial> application(String user, int applications) {
    Optional<Denial> access = access(user);
    if (access.isPresent()) {
      return access;
    }
    Limits limits = limits(user);
    if (limits.applications() >= 0 && applications >= limits.applications()) {
      return Optional.of(
          new Denial(
              Denial.Cause.APPLICATIONS,
              "user "
                  + user
                  + " has "
                  + applications
                  + " applications, the quota is "
                  + limits.applications()
                  + advice("applications", limits, user)));
    }
    return userBytes(limits, usage.ofUser(user), user)
        .or(() -> userPartitions(limits, usage.ofUser(user), user, 0));
  }

  /**
   * Returns the reason why an application may not register a shuffle; empty: it may.
   *
   * @param partitions number of partitions of the shuffle, replicas counted
   */
  public Optional<Denial> shuffle(String application, String user, long partitions) {
    Optional<Denial> access = access(user);
    return access.isPresent()
        ? access
        : reached(limits(user), usage, application, user, partitions);
  }

  /** Returns the limits of a user. */
  public Limits limits(String user) {
    return set.of(user, rules.limits(user));
  }

  /** Returns the reason why servers refuse pushes of an application; empty: they accept them. */
  public Optional<Denial> overQuota(String application) {
    return Optional.ofNullable(overQuota.get(application));
  }

  /** Returns the applications whose pushes servers refuse. */
  public Set<String> overQuota() {
    return overQuota.keySet();
  }

  /** Whether a server stores data of the application. */
  public boolean hasData(String application) {
    return usage.hasData(application);
  }

  private Optional<Denial> access(String user) {
    UsageRules current = rules;
    String refusal = current.access().refusal(user, current.groups().of(user));
    return refusal == null
        ? Optional.empty()
        : Optional.of(
            new Denial(
                Denial.Cause.ACCESS,
                refusal
                    + " (rss.coordinator.access.candidates.path): ask the operator to add"
                    + " \"allow user "
                    + user
                    + "\""
                    + BUILT_IN_SHUFFLE));
  }

  private static Optional<Denial> reached(
      Limits limits, Usage usage, String application, String user, long partitions) {
    if (!limits.limitsData()) {
      return Optional.empty();
    }
    Usage.Amount ofApplication = usage.ofApplication(application);
    Usage.Amount ofUser = usage.ofUser(user);
    return applicationBytes(limits, ofApplication, application, user)
        .or(() -> userBytes(limits, ofUser, user))
        .or(() -> applicationPartitions(limits, ofApplication, application, user, partitions))
        .or(() -> userPartitions(limits, ofUser, user, partitions));
  }

  private static Optional<Denial> applicationBytes(
      Limits limits, Usage.Amount has, String name, String user) {
    return bytes(
        limits.applicationBytes(),
        has.bytes(),
        Denial.Cause.APPLICATION_BYTES,
        "application " + name,
        () -> advice("application.bytes", limits, user));
  }

  private static Optional<Denial> userBytes(Limits limits, Usage.Amount has, String user) {
    return bytes(
        limits.userBytes(),
        has.bytes(),
        Denial.Cause.USER_BYTES,
        "user " + user,
        () -> advice("bytes", limits, user));
  }

  private static Optional<Denial> applicationPartitions(
      Limits limits, Usage.Amount has, String name, String user, long more) {
    return partitions(
        limits.applicationPartitions(),
        has.partitions(),
        more,
        Denial.Cause.APPLICATION_PARTITIONS,
        "application " + name,
        () -> advice("application.partitions", limits, user));
  }

  private static Optional<Denial> userPartitions(
      Limits limits, Usage.Amount has, String user, long more) {
    return partitions(
        limits.userPartitions(),
        has.partitions(),
        more,
        Denial.Cause.USER_PARTITIONS,
        "user " + user,
        () -> advice("partitions", limits, user));
  }

  private static Optional<Denial> bytes(
      long limit, long has, Denial.Cause cause, String subject, Supplier<String> advice) {
    return limit < 0 || has < limit
        ? Optional.empty()
        : Optional.of(
            new Denial(
                cause,
                subject
                    + " has "
                    + new DataSize(has).toRoundedText()
                    + " on the servers, the quota is "
                    + new DataSize(limit).toRoundedText()
                    + advice.get()));
  }

  /** Denies if the stored and the requested partitions together exceed the limit. */
  private static Optional<Denial> partitions(
      long limit,
      long has,
      long more,
      Denial.Cause cause,
      String subject,
      Supplier<String> advice) {
    boolean fits = has + more <= limit;
    return limit < 0 || fits
        ? Optional.empty()
        : Optional.of(
            new Denial(
                cause,
                subject
                    + " has "
                    + has
                    + " partitions on the servers"
                    + (more == 0 ? "" : " and requests " + more + " more")
                    + ", the quota is "
                    + limit
                    + advice.get()));
  }

  private static String advice(String limit, Limits limits, String user) {
    String source =
        switch (limits.source(limit)) {
          case CONFIGURATION -> QuotaConfig.LIMITS.get(limit).name();
          case FILE -> limit + " in " + QuotaConfig.QUOTA_FILE.name();
          case API -> limit + " set at /api/v1/quotas/" + user;
        };
    return " ("
        + source
        + "): end unneeded applications, or ask the operator to raise the quota"
        + BUILT_IN_SHUFFLE;
  }
}
