package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goal: an error that a simulation logs is found, and belongs to no other simulation. Method: one
 * simulation collects, while threads of this one, of another one, and of no simulation log.
 */
class LoggedErrorsTest {
  private static final Logger LOG = LoggerFactory.getLogger(LoggedErrorsTest.class);

  private final Carriers carriers = new Carriers();
  private final SimulatedThreads threads = new SimulatedThreads(carriers);

  @AfterEach
  void close() {
    threads.close();
    carriers.close();
  }

  private static void logError() {
    LOG.error("internal error", new IllegalStateException("a bug"));
  }

  private static void logErrorOn(SimulatedThreads simulation) {
    SimulatedThreads.Task task = simulation.start("task", LoggedErrorsTest::logError);
    assertThat(simulation.await(task.end(), 1)).isTrue();
  }

  @Test
  void collectsErrorsOfAllThreadsOfTheSimulation() {
    try (LoggedErrors errors = LoggedErrors.collect(threads)) {
      logErrorOn(threads);
      assertThat(errors.first()).isPresent();
    }
    try (LoggedErrors errors = LoggedErrors.collect(threads)) {
      logError();
      assertThat(errors.first()).isPresent();
    }
  }

  @Test
  void collectsErrorsOfThreadsThatProductionClassesStart() throws InterruptedException {
    try (LoggedErrors errors = LoggedErrors.collect(threads)) {
      Thread started = new Thread(LoggedErrorsTest::logError);
      started.start();
      started.join();
      assertThat(errors.first()).isPresent();
    }
  }

  @Test
  void ignoresErrorsOfOtherSimulations() {
    try (SimulatedThreads other = new SimulatedThreads(carriers);
        LoggedErrors errors = LoggedErrors.collect(threads)) {
      logErrorOn(other);
      assertThat(errors.first()).isEmpty();
    }
  }
}
