package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.test.TestEffort;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: every reader gets exactly the blocks of the winning map attempts, or an error that names
 * map tasks whose data is lost; nothing is left when the applications have ended. Method: two
 * applications on three servers and one or three coordinators in virtual time, with at least three
 * faults of any kind. A failure prints its seed, the fewest faults that suffice, and the command
 * that repeats it.
 */
class ClusterSimulationTest {
  private static final int SEEDS = 150;
  private static final int MIN_EVENTS = 500;
  private static final int MIN_FAULTS = 3;

  private static final ExecutorService CARRIERS =
      Executors.newCachedThreadPool(SimulationRunner::carrier);

  @AfterAll
  static void close() {
    CARRIERS.shutdownNow();
  }

  static LongStream seeds() {
    return LongStream.range(0, TestEffort.times(SEEDS));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void readsExactlyTheBlocksOfTheWinningAttempts(long seed) throws Exception {
    Simulation.Outcome outcome = SimulationRunner.runOrShrink(seed, CARRIERS);
    assertThat(outcome.events()).as("events").isGreaterThanOrEqualTo(MIN_EVENTS);
    assertThat(outcome.faults()).as("faults").isGreaterThanOrEqualTo(MIN_FAULTS);
  }

  @Test
  void runsTheSameAgainFromTheSameSeed() throws Exception {
    for (long seed = 0; seed < 10; seed++) {
      List<Fault> faults = Fault.of(seed);
      assertThat(Simulation.run(seed, faults, CARRIERS))
          .isEqualTo(Simulation.run(seed, faults, CARRIERS));
    }
  }

  @Test
  void meetsEverythingThatServersAndTasksDo() throws Exception {
    List<Simulation.Outcome> outcomes = new ArrayList<>();
    for (long seed = 0; seed < 60; seed++) {
      outcomes.add(Simulation.run(seed, Fault.of(seed), CARRIERS));
    }
    assertThat(sum(outcomes, Simulation.Outcome::failedAttempts)).isPositive();
    assertThat(sum(outcomes, Simulation.Outcome::speculations)).isGreaterThan(10);
    assertThat(sum(outcomes, Simulation.Outcome::failedReads)).isPositive();
    assertThat(sum(outcomes, Simulation.Outcome::networkFaults)).isGreaterThan(100);
    assertThat(sum(outcomes, Simulation.Outcome::spills)).isGreaterThan(100);
    assertThat(sum(outcomes, Simulation.Outcome::merges)).isGreaterThan(10);
    assertThat(sum(outcomes, Simulation.Outcome::demotions)).isPositive();
    assertThat(sum(outcomes, Simulation.Outcome::movedBytes)).isPositive();
    assertThat(sum(outcomes, Simulation.Outcome::elections)).isGreaterThan(20);
  }

  private static long sum(
      List<Simulation.Outcome> outcomes, ToLongFunction<Simulation.Outcome> figure) {
    return outcomes.stream().mapToLong(figure).sum();
  }
}
