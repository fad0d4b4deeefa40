package io.sluice.coordinator.quota;

import io.sluice.common.config.DataSize;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Answers who may have what, from the newest rules and the newest use. Both are replaced as a
 * whole, by one thread; answers are made by any.
 */
public final class Quotas {
  private static final String OWN_SHUFFLE = "; it uses its engine's own shuffle meanwhile";

  private volatile UsageRules rules;
  private volatile SetLimits set = SetLimits.NONE;
  private volatile Usage use = Usage.NOTHING;
  private volatile Map<String, Denial> overQuota = Map.of();

  public Quotas(UsageRules rules) {
    this.rules = rules;
  }

  public UsageRules rules() {
    return rules;
  }

  public Usage use() {
    return use;
  }

  /** From now on these rules hold. */
  public void rules(UsageRules newer) {
    rules = newer;
  }

  /** From now on these limits of users go before those of the rules. */
  public void limits(SetLimits newer) {
    set = newer;
  }

  /**
   * From now on this is what is used.
   *
   * @param users of the live applications
   * @return the applications that may have no more, and why
   */
  public Map<String, Denial> use(Usage newer, UserOf users) {
    UsageRules current = rules;
    Map<String, Denial> over = new TreeMap<>();
    for (String application : newer.applications()) {
      users
          .find(application)
          .flatMap(user -> reached(set.of(user, current.limits(user)), newer, application, user, 0))
          .ifPresent(denial -> over.put(application, denial));
    }
    use = newer;
    overQuota = Map.copyOf(over);
    return over;
  }

  /** Whose an application is. */
  public interface UserOf {
    /** Empty if it is not live. */
    Optional<String> find(String application);
  }

  /**
   * Why a user may not begin an application, if so.
   *
   * @param applications live ones that the user has
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
                  + " (rss.coordinator.quota.default.app.num): end one, or ask the operator for"
                  + " more"
                  + OWN_SHUFFLE));
    }
    return userBytes(limits, use.ofUser(user), user)
        .or(() -> userPartitions(limits, use.ofUser(user), user, 0));
  }

  /**
   * Why an application may not have a shuffle of so many partitions, if so.
   *
   * @param partitions copies counted
   */
  public Optional<Denial> shuffle(String application, String user, long partitions) {
    Optional<Denial> access = access(user);
    return access.isPresent() ? access : reached(limits(user), use, application, user, partitions);
  }

  /** What a user may have. */
  public Limits limits(String user) {
    return set.of(user, rules.limits(user));
  }

  /** Why servers take nothing more of an application; empty while they do. */
  public Optional<Denial> overQuota(String application) {
    return Optional.ofNullable(overQuota.get(application));
  }

  /** Applications of which servers take nothing more. */
  public Set<String> overQuota() {
    return overQuota.keySet();
  }

  /** Whether a server holds data of the application. */
  public boolean holds(String application) {
    return use.holds(application);
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
                    + " (rss.coordinator.access.candidates.path): ask the operator for a line"
                    + " \"allow user "
                    + user
                    + "\""
                    + OWN_SHUFFLE));
  }

  private static Optional<Denial> reached(
      Limits limits, Usage use, String application, String user, long partitions) {
    if (!limits.limitsData()) {
      return Optional.empty();
    }
    Usage.Amount own = use.ofApplication(application);
    Usage.Amount ofUser = use.ofUser(user);
    return applicationBytes(limits, own, application)
        .or(() -> userBytes(limits, ofUser, user))
        .or(() -> applicationPartitions(limits, own, application, partitions))
        .or(() -> userPartitions(limits, ofUser, user, partitions));
  }

  private static Optional<Denial> applicationBytes(Limits limits, Usage.Amount has, String name) {
    return bytes(
        limits.applicationBytes(),
        has.bytes(),
        Denial.Cause.APPLICATION_BYTES,
        "application " + name,
        "application.bytes");
  }

  private static Optional<Denial> userBytes(Limits limits, Usage.Amount has, String user) {
    return bytes(limits.userBytes(), has.bytes(), Denial.Cause.USER_BYTES, "user " + user, "bytes");
  }

  private static Optional<Denial> applicationPartitions(
      Limits limits, Usage.Amount has, String name, long more) {
    return partitions(
        limits.applicationPartitions(),
        has.partitions(),
        more,
        Denial.Cause.APPLICATION_PARTITIONS,
        "application " + name,
        "application.partitions");
  }

  private static Optional<Denial> userPartitions(
      Limits limits, Usage.Amount has, String user, long more) {
    return partitions(
        limits.userPartitions(),
        has.partitions(),
        more,
        Denial.Cause.USER_PARTITIONS,
        "user " + user,
        "partitions");
  }

  private static Optional<Denial> bytes(
      long limit, long has, Denial.Cause cause, String who, String what) {
    return limit < 0 || has < limit
        ? Optional.empty()
        : Optional.of(
            new Denial(
                cause,
                who
                    + " has "
                    + new DataSize(has).toRoundedText()
                    + " on the servers, the quota is "
                    + new DataSize(limit).toRoundedText()
                    + right(what)));
  }

  /** What is there is within the limit while it is below; what is asked for may fill it. */
  private static Optional<Denial> partitions(
      long limit, long has, long more, Denial.Cause cause, String who, String what) {
    boolean fits = has + more <= limit;
    return limit < 0 || fits
        ? Optional.empty()
        : Optional.of(
            new Denial(
                cause,
                who
                    + " has "
                    + has
                    + " partitions on the servers"
                    + (more == 0 ? "" : " and wants " + more + " more")
                    + ", the quota is "
                    + limit
                    + right(what)));
  }

  private static String right(String limit) {
    return " ("
        + limit
        + " in rss.coordinator.quota.default.path): end what is not needed, or ask the operator for"
        + " more"
        + OWN_SHUFFLE;
  }
}
