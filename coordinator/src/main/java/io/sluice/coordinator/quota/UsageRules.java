package io.sluice.coordinator.quota;

/** Access rules, groups and quotas of the operator. Immutable. */
public record UsageRules(AccessRules access, Groups groups, QuotaRules quotas) {
  /** Returns rules that allow all users, with equal limits. */
  public static UsageRules ofAll(Limits limits) {
    return new UsageRules(AccessRules.ALLOW_ALL, Groups.NONE, QuotaRules.ofAll(limits));
  }

  Limits limits(String user) {
    return quotas.of(user, groups.of(user));
  }
}
