package io.sluice.coordinator.assign;

import java.util.random.RandomGenerator;

/** The strategies that the configuration can name. */
public enum StrategyKind {
  /** The better of two random servers. */
  PARTITION_BALANCE,
  /** One random server. */
  RANDOM,
  /** One server after the other. */
  ROUND_ROBIN,
  /** The least loaded server. */
  BASIC;

  /**
   * A strategy for one assignment.
   *
   * @param serverCount how many servers may be chosen
   * @param turn how many choices were made before, for strategies that take turns
   */
  AssignmentStrategy start(int serverCount, long turn, RandomGenerator random) {
    return switch (this) {
      case PARTITION_BALANCE -> new TwoChoices(random);
      case RANDOM -> new RandomChoice(random);
      case ROUND_ROBIN -> new RoundRobin(serverCount, turn);
      case BASIC -> new LeastLoaded(random);
    };
  }
}
