package io.sluice.coordinator.quota;

/** All that the operator says about who may use how much. Immutable. */
public record UsageRules(AccessRules access, Groups groups, QuotaRules quotas) {
  /** Everybody may, within the same limits. */
  public static UsageRules ofAll(Limits limits) {
    return new UsageRules(AccessRules.EVERYBODY, Groups.NONE, QuotaRules.ofAll(limits));
  }

  Limits limits(String user) {
    return quotas.of(user, groups.of(user));
  }
}
