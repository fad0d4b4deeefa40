package io.sluice.coordinator.quota;

import io.sluice.common.config.DataSize;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Limits of users. Immutable. The file has lines of these forms:
 *
 * <pre>
 *   default         applications=20 bytes=10TiB partitions=1000000
 *   group analysts  applications=5 application.bytes=500GiB
 *   user etl        applications=unlimited
 *   etl = 50        the same as user etl applications=50
 * </pre>
 *
 * Each limit of a user is looked up in this order: the line of the user, the line of the first
 * group in the file that contains the user, the default line, the configuration. Limits of a group
 * apply to each of its users separately.
 */
public final class QuotaRules {
  private static final Set<String> COUNTS =
      Set.of("applications", "partitions", "application.partitions");
  private static final Set<String> SIZES = Set.of("bytes", "application.bytes");

  private final Limits defaults;
  private final Map<String, Map<String, Long>> users;

  /** In the order of the file. */
  private final Map<String, Map<String, Long>> groups;

  private QuotaRules(
      Limits defaults,
      Map<String, Map<String, Long>> users,
      Map<String, Map<String, Long>> groups) {
    this.defaults = defaults;
    this.users = users;
    this.groups = groups;
  }

  /** Returns rules with equal limits for all users. */
  public static QuotaRules ofAll(Limits defaults) {
    return new QuotaRules(defaults, Map.of(), Map.of());
  }

  /**
   * @param configured limits that apply where the file has none
   * @throws IllegalArgumentException if a line is invalid; the message has the line and the
   *     expected form
   */
  public static QuotaRules parse(String text, Limits configured) {
    Limits defaults = configured;
    Map<String, Map<String, Long>> users = new HashMap<>();
    Map<String, Map<String, Long>> groups = new LinkedHashMap<>();
    for (RuleLines.Line line : RuleLines.of(text)) {
      String first = line.words().get(0);
      if (first.equals("default") && isLimit(line, 1)) {
        defaults = defaults.with(limits(line, 1), Limits.Source.FILE);
      } else if ((first.equals("user") || first.equals("group")) && isLimit(line, 2)) {
        (first.equals("user") ? users : groups)
            .computeIfAbsent(line.name(line.words().get(1)), name -> new HashMap<>())
            .putAll(limits(line, 2));
      } else {
        String[] pair = String.join("", line.words()).split("=", -1);
        if (pair.length != 2) {
          throw line.problem(
              "expected \"default LIMIT=…\", \"user NAME LIMIT=…\", \"group NAME LIMIT=…\" or"
                  + " \"USER=APPLICATIONS\"");
        }
        users
            .computeIfAbsent(line.name(pair[0]), name -> new HashMap<>())
            .put("applications", number(line, "applications", pair[1]));
      }
    }
    return new QuotaRules(defaults, users, groups);
  }

  private static boolean isLimit(RuleLines.Line line, int index) {
    return line.words().size() > index && !line.words().get(index).startsWith("=");
  }

  private static Map<String, Long> limits(RuleLines.Line line, int from) {
    Map<String, Long> limits = new HashMap<>();
    for (String word : line.words().subList(from, line.words().size())) {
      String[] pair = word.split("=", -1);
      if (pair.length != 2 || !(COUNTS.contains(pair[0]) || SIZES.contains(pair[0]))) {
        throw line.problem(
            "expected applications=, bytes=, partitions=, application.bytes= or"
                + " application.partitions=, found \""
                + word
                + "\"");
      }
      limits.put(pair[0], number(line, pair[0], pair[1]));
    }
    return limits;
  }

  private static long number(RuleLines.Line line, String limit, String text) {
    if (text.equals("unlimited") || text.equals("-1")) {
      return Limits.UNLIMITED;
    }
    try {
      long number =
          SIZES.contains(limit) ? DataSize.parse(text).bytes() : Long.parseUnsignedLong(text);
      if (number >= 0) {
        return number;
      }
    } catch (IllegalArgumentException e) {
      // Reported below with a better message.
    }
    throw line.problem(
        limit
            + ": expected "
            + (SIZES.contains(limit) ? "a size such as 500GiB" : "an integer from 0")
            + " or \"unlimited\", found \""
            + text
            + "\"");
  }

  /**
   * Returns the limits of a user.
   *
   * @param groupsOfUser groups of the user
   */
  Limits of(String user, Set<String> groupsOfUser) {
    Limits limits = defaults;
    for (Map.Entry<String, Map<String, Long>> group : groups.entrySet()) {
      if (groupsOfUser.contains(group.getKey())) {
        limits = limits.with(group.getValue(), Limits.Source.FILE);
        break;
      }
    }
    return limits.with(users.getOrDefault(user, Map.of()), Limits.Source.FILE);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof QuotaRules rules
        && rules.defaults.equals(defaults)
        && rules.users.equals(users)
        && rules.groups.equals(groups);
  }

  @Override
  public int hashCode() {
    return defaults.hashCode() + users.hashCode() + groups.hashCode();
  }
}
