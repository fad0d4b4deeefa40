package io.sluice.coordinator.assign;

import java.util.random.RandomGenerator;

/** The coordinator's strategy, and those that the simulation compares it with. */
enum StrategyKind {
  TWO_CHOICES,
  RANDOM,
  LEAST_LOADED;

  AssignmentStrategy start(RandomGenerator random) {
    return switch (this) {
      case TWO_CHOICES -> new TwoChoices(random);
      case RANDOM -> new RandomChoice(random);
      case LEAST_LOADED -> new LeastLoaded(random);
    };
  }
}
