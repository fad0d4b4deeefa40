package io.sluice.coordinator.assign;

import java.util.random.RandomGenerator;

/** Strategies that the simulation compares. */
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
