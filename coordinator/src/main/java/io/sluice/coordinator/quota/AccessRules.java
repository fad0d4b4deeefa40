package io.sluice.coordinator.quota;

import java.util.HashSet;
import java.util.Set;

/**
 * Access rules: users that may use the cluster. A denied user or group has no access. If the file
 * has any allow line, only allowed users and groups have access; otherwise all others have.
 * Immutable. The file has lines of these forms:
 *
 * <pre>
 *   allow user NAME      deny user NAME
 *   allow group NAME     deny group NAME
 *   NAME                 the same as allow user NAME
 * </pre>
 */
public record AccessRules(
    Set<String> allowedUsers,
    Set<String> allowedGroups,
    Set<String> deniedUsers,
    Set<String> deniedGroups) {
  public static final AccessRules ALLOW_ALL =
      new AccessRules(Set.of(), Set.of(), Set.of(), Set.of());

  public AccessRules {
    allowedUsers = Set.copyOf(allowedUsers);
    allowedGroups = Set.copyOf(allowedGroups);
    deniedUsers = Set.copyOf(deniedUsers);
    deniedGroups = Set.copyOf(deniedGroups);
  }

  /**
   * @throws IllegalArgumentException if a line is invalid; the message has the line and the
   *     expected form
   */
  public static AccessRules parse(String text) {
    Set<String> allowedUsers = new HashSet<>();
    Set<String> allowedGroups = new HashSet<>();
    Set<String> deniedUsers = new HashSet<>();
    Set<String> deniedGroups = new HashSet<>();
    for (RuleLines.Line line : RuleLines.of(text)) {
      if (line.words().size() == 1) {
        allowedUsers.add(line.name(line.words().get(0)));
        continue;
      }
      if (line.words().size() != 3) {
        throw line.problem("expected \"allow user NAME\", \"deny group NAME\" or a user's name");
      }
      boolean group =
          switch (line.words().get(1)) {
            case "user" -> false;
            case "group" -> true;
            default -> throw line.problem("expected \"user\" or \"group\" as second word");
          };
      String name = line.name(line.words().get(2));
      switch (line.words().get(0)) {
        case "allow" -> (group ? allowedGroups : allowedUsers).add(name);
        case "deny" -> (group ? deniedGroups : deniedUsers).add(name);
        default -> throw line.problem("expected \"allow\" or \"deny\" as first word");
      }
    }
    return new AccessRules(allowedUsers, allowedGroups, deniedUsers, deniedGroups);
  }

  /**
   * Returns the reason why a user may not use the cluster, or null if the user may.
   *
   * @param groups groups of the user
   */
  String refusal(String user, Set<String> groups) {
    if (deniedUsers.contains(user)) {
      return "user " + user + " is denied access to this cluster";
    }
    for (String group : groups) {
      if (deniedGroups.contains(group)) {
        return "user "
            + user
            + " is in group "
            + group
            + ", which is denied access to this cluster";
      }
    }
    if (allowedUsers.isEmpty() && allowedGroups.isEmpty()) {
      return null;
    }
    return allowedUsers.contains(user) || groups.stream().anyMatch(allowedGroups::contains)
        ? null
        : "user " + user + " is not allowed to use this cluster";
  }
}
