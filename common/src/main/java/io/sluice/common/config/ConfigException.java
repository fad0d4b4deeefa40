package io.sluice.common.config;

import java.util.List;

/**
 * An invalid configuration. The message is for the user and complete: one line per problem, with
 * its location and the expected form.
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
