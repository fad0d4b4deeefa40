package io.sluice.coordinator.quota;

import java.util.HashSet;
import java.util.Set;

/**
 * Who may use the cluster. Who is denied may not; if anybody is allowed by name, only those may;
 * else everybody may. Immutable. A file of lines
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
  public static final AccessRules EVERYBODY =
      new AccessRules(Set.of(), Set.of(), Set.of(), Set.of());

  public AccessRules {
    allowedUsers = Set.copyOf(allowedUsers);
    allowedGroups = Set.copyOf(allowedGroups);
    deniedUsers = Set.copyOf(deniedUsers);
    deniedGroups = Set.copyOf(deniedGroups);
  }

  /**
   * @throws IllegalArgumentException which line is wrong, and what would be right
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
   * Why a user may not use the cluster, or null.
   *
   * @param groups those that the user is in
   */
  String refusal(String user, Set<String> groups) {
    if (deniedUsers.contains(user)) {
      return "user " + user + " is denied the use of this cluster";
    }
    for (String group : groups) {
      if (deniedGroups.contains(group)) {
        return "user "
            + user
            + " is of group "
            + group
            + ", which is denied the use of this cluster";
      }
    }
    if (allowedUsers.isEmpty() && allowedGroups.isEmpty()) {
      return null;
    }
    return allowedUsers.contains(user) || groups.stream().anyMatch(allowedGroups::contains)
        ? null
        : "user " + user + " is not among those who may use this cluster";
  }
}
