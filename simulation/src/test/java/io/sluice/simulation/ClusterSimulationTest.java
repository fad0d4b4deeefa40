package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.test.TestEffort;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * Goal: every reader gets exactly the blocks of the winning map attempts, or an error that names
 * map tasks whose data is lost; nothing is left when the applications have ended. Method: two
 * applications on three servers and one or three coordinators in virtual time, with at least three
 * faults of any kind. A failure prints its seed, the fewest faults that suffice, and the command
 * that repeats it.
 */
@TestInstance(Lifecycle.PER_CLASS)
class ClusterSimulationTest {
  private static final int SEEDS = 300;
  private static final int MIN_EVENTS = 500;
  private static final int MIN_FAULTS = 3;

  private final Carriers carriers = new Carriers();
  private ScheduleRange.Results results;

  @BeforeAll
  void runSchedules() throws InterruptedException {
    results = ScheduleRange.run(0, TestEffort.times(SEEDS) - 1, Workload.USUAL, Fault::of);
  }

  @AfterAll
  void close() {
    carriers.close();
  }

  @Test
  void readsExactlyTheBlocksOfTheWinningAttempts() {
    assertThat(results.failures()).as("schedules that fail").isEmpty();
  }

  @Test
  void everyScheduleHasManyEventsAndSomeFaults() {
    assertThat(results.outcomes())
        .allMatch(outcome -> outcome.events() >= MIN_EVENTS && outcome.faults() >= MIN_FAULTS);
  }

  @Test
  void meetsEverythingThatServersAndTasksDo() {
    int count = results.outcomes().size();
    assertThat(results.sum(Simulation.Outcome::failedAttempts)).isPositive();
    assertThat(results.sum(Simulation.Outcome::speculations)).isGreaterThan(count / 6);
    assertThat(results.sum(Simulation.Outcome::failedReads)).isPositive();
    assertThat(results.sum(Simulation.Outcome::networkFaults)).isGreaterThan(count);
    assertThat(results.sum(Simulation.Outcome::spills)).isGreaterThan(count);
    assertThat(results.sum(Simulation.Outcome::merges)).isGreaterThan(count / 6);
    assertThat(results.sum(Simulation.Outcome::demotions)).isPositive();
    assertThat(results.sum(Simulation.Outcome::movedBytes)).isPositive();
    assertThat(results.sum(Simulation.Outcome::adoptions)).isPositive();
    assertThat(results.sum(Simulation.Outcome::elections)).isGreaterThan(count / 3);
  }

  /** Each of two servers may choose the other one, before a coordinator knows that both leave. */
  @Test
  void losesNothingIfTwoServersMoveTheirDataAtTheSameTime() throws Exception {
    List<Fault> moves =
        List.of(new Fault(Fault.Kind.MOVE, 500, 0), new Fault(Fault.Kind.MOVE, 520, 3));
    for (long seed = 40; seed < 60; seed++) {
      assertThat(Simulation.run(seed, Workload.USUAL, moves, carriers).faults()).isEqualTo(2);
    }
  }

  @Test
  void runsTheSameAgainFromTheSameSeed() throws Exception {
    for (long seed = 0; seed < 10; seed++) {
      List<Fault> faults = Fault.of(seed);
      assertThat(Simulation.run(seed, Workload.USUAL, faults, carriers))
          .isEqualTo(Simulation.run(seed, Workload.USUAL, faults, carriers));
    }
  }
}
