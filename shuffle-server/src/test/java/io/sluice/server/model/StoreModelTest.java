package io.sluice.server.model;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.sluice.common.test.TestEffort;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * Tests the storage engine against a model of lists of blocks. Goal: every read returns exactly the
 * acknowledged bytes, and every Open reports exactly the complete attempts and the lost ranges.
 * This applies to any order of pushes, duplicates, spills, merges, moves, reads, removals, disk
 * faults, losses, crashes and restarts. The runs are served after a restart, and all resources are
 * released at the end. Method: many random schedules in one thread, each determined by its seed. A
 * failure reports its seed; {@code -Dsluice.model.seed} repeats it.
 */
class StoreModelTest {
  private static final String SEED = "sluice.model.seed";
  private static final int SCHEDULES = 1_000;
  private static final int STEPS = 60;
  private static final int LONG_STEPS = 1_500;
  private static final ScheduledThreadPoolExecutor TIMER = new ScheduledThreadPoolExecutor(1);
  private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("io.sluice.server");

  private static Level level;

  @BeforeAll
  static void silence() {
    // The schedules log thousands of disk failures.
    level = LOGGER.getLevel();
    if (Long.getLong(SEED) == null) {
      LOGGER.setLevel(Level.OFF);
    }
  }

  @AfterAll
  static void stop() {
    TIMER.shutdownNow();
    LOGGER.setLevel(level);
  }

  @Test
  void behavesLikeTheModel() {
    long first = Long.getLong(SEED, 0);
    int schedules = TestEffort.times(Long.getLong(SEED) == null ? SCHEDULES : 1);
    for (int i = 0; i < schedules; i++) {
      run(first + i);
    }
  }

  private static void run(long seed) {
    try {
      new Schedule(seed, TIMER).run(seed % 1000 == 999 ? LONG_STEPS : STEPS);
    } catch (Exception | AssertionError e) {
      throw new AssertionError(
          "schedule failed; repeat it with -Dtest=StoreModelTest -Dsluice.model.seed=" + seed, e);
    }
  }
}
