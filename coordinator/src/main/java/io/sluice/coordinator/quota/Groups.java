package io.sluice.coordinator.quota;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Groups of users. Immutable. The file has lines {@code group: user, user}; a group may have
 * several lines.
 */
public final class Groups {
  public static final Groups NONE = new Groups(Map.of());

  private final Map<String, Set<String>> groupsByUser;

  private Groups(Map<String, Set<String>> groupsByUser) {
    this.groupsByUser = groupsByUser;
  }

  /**
   * @throws IllegalArgumentException if a line is invalid; the message has the line and the
   *     expected form
   */
  public static Groups parse(String text) {
    Map<String, Set<String>> groups = new HashMap<>();
    for (RuleLines.Line line : RuleLines.of(text)) {
      String[] parts = String.join(" ", line.words()).split(":", -1);
      if (parts.length != 2) {
        throw line.problem("expected \"group: user, user\"");
      }
      String group = line.name(parts[0].strip());
      for (String user : parts[1].strip().split("[\\s,]+", -1)) {
        if (!user.isEmpty()) {
          groups.computeIfAbsent(line.name(user), name -> new TreeSet<>()).add(group);
        }
      }
    }
    groups.replaceAll((user, of) -> Set.copyOf(of));
    return new Groups(Map.copyOf(groups));
  }

  /** Returns the groups of a user; empty if there are none. */
  public Set<String> of(String user) {
    return groupsByUser.getOrDefault(user, Set.of());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Groups groups && groups.groupsByUser.equals(groupsByUser);
  }

  @Override
  public int hashCode() {
    return groupsByUser.hashCode();
  }
}
