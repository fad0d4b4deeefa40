package io.sluice.common.config;

import java.util.List;

/**
 * A configuration that cannot be used. The message is for the user and complete: each problem on a
 * line of its own, saying what is wrong, where, and what would be right.
 */
public class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final List<String> problems;

  public ConfigException(String problem) {
    this(List.of(problem));
  }

  public ConfigException(List<String> problems) {
    super(messageOf(problems));
    this.problems = List.copyOf(problems);
  }

  /** At least one line. */
  public List<String> problems() {
    return problems;
  }

  private static String messageOf(List<String> problems) {
    return problems.size() == 1
        ? problems.get(0)
        : problems.size() + " problems in the configuration:\n  " + String.join("\n  ", problems);
  }
}
