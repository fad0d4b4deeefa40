package io.sluice.coordinator.quota;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Limits of users that operators set through the API. They take precedence over the quota file.
 * Immutable.
 */
public final class SetLimits {
  public static final SetLimits NONE = new SetLimits(new TreeMap<>());

  /** Maximum number of users with limits, some hundred bytes each. */
  public static final int MAX_USERS = 10_000;

  /** Limits by name, by user; never changed after construction. */
  private final SortedMap<String, Map<String, Long>> byUser;

  private SetLimits(SortedMap<String, Map<String, Long>> byUser) {
    this.byUser = byUser;
  }

  /** Returns the limits by name, by user. */
  public SortedMap<String, Map<String, Long>> all() {
    return Collections.unmodifiableSortedMap(byUser);
  }

  /** Returns the limits of a user: the limits set here replace those of the rules. */
  public Limits of(String user, Limits byRules) {
    Map<String, Long> set = byUser.get(user);
    return set == null ? byRules : byRules.with(set, Limits.Source.API);
  }

  /**
   * Returns these limits with the limits of one user replaced.
   *
   * @param named limits by their names in the quota file; empty: remove the limits of the user
   */
  public SetLimits with(String user, Map<String, Long> named) {
    TreeMap<String, Map<String, Long>> changed = new TreeMap<>(byUser);
    if (named.isEmpty()) {
      changed.remove(user);
    } else {
      changed.put(user, Collections.unmodifiableSortedMap(new TreeMap<>(named)));
    }
    return new SetLimits(changed);
  }
}
