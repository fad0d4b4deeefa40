package io.sluice.coordinator.quota;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Limits of users that operators set while the coordinator runs. They go before those of the rules.
 * Immutable.
 */
public final class SetLimits {
  public static final SetLimits NONE = new SetLimits(new TreeMap<>());

  /** Most users with limits of their own; some hundred bytes each. */
  public static final int MAX_USERS = 10_000;

  /** Names and values by user; never changed after construction. */
  private final SortedMap<String, Map<String, Long>> byUser;

  private SetLimits(SortedMap<String, Map<String, Long>> byUser) {
    this.byUser = byUser;
  }

  /** Names and values by user. */
  public SortedMap<String, Map<String, Long>> all() {
    return Collections.unmodifiableSortedMap(byUser);
  }

  /** The limits of a user: those set here in the place of those that the rules give. */
  public Limits of(String user, Limits byRules) {
    Map<String, Long> set = byUser.get(user);
    return set == null ? byRules : byRules.with(set);
  }

  /**
   * These limits with others of one user.
   *
   * @param named as in the file of rules; empty: the rules hold again
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
