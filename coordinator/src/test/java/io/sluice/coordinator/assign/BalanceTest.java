package io.sluice.coordinator.assign;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.test.TestEffort;
import io.sluice.coordinator.assign.BalanceSimulation.Outcome;
import io.sluice.coordinator.assign.BalanceSimulation.Setup;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Balance against theory, on a hundred servers and ten thousand shuffles.
 *
 * <p>Equal parts, fresh loads: the fullest server is {@code ln(ln(n)) / ln(2) + O(1)} parts above
 * the mean with two choices, independent of the number of parts (Berenbrink et al. 2000), and about
 * {@code sqrt(2 m ln(n) / n)} with one random choice. Parts of differing sizes that are not known
 * when they are placed: the distance still does not depend on the number of parts, and scales with
 * the size of the largest ones (Talwar and Wieder 2007). Where loads are reported late the distance
 * is larger, of the order of {@code ln(n)}, and again independent of the number of parts
 * (Berenbrink et al. 2012, for placement in batches).
 */
class BalanceTest {
  private static final int SHUFFLES = BalanceSetups.SHUFFLES;
  private static final double LN_N = Math.log(BalanceSimulation.SERVERS);
  private static final double LN_LN_N_OVER_LN_2 = Math.log(LN_N) / Math.log(2);

  /** The term O(1) of the theorem, in parts. */
  private static final double SLACK = 2;

  static LongStream seeds() {
    return LongStream.rangeClosed(1, TestEffort.times(1));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void staysWithinTheBoundForEqualParts(long seed) {
    Setup setup = BalanceSetups.equal(seed);
    Outcome two = new BalanceSimulation(setup).run();
    assertThat(two.largestGapInParts()).isLessThanOrEqualTo(LN_LN_N_OVER_LN_2 + SLACK);

    Outcome one = new BalanceSimulation(setup.with(StrategyKind.RANDOM)).run();
    double expected = Math.sqrt(2.0 * SHUFFLES * LN_N / BalanceSimulation.SERVERS);
    assertThat(one.finalGapInParts())
        .isBetween(expected / 2, expected * 2)
        .isGreaterThan(4 * two.finalGapInParts());
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void staysWithinTheBoundForZipfSizes(long seed) {
    Setup setup = BalanceSetups.fresh(seed);
    Outcome two = new BalanceSimulation(setup).run();
    assertThat(two.largestGapInParts())
        .isLessThanOrEqualTo((LN_LN_N_OVER_LN_2 + SLACK) * two.largestPart());
    assertThat(two.finalMaxOverMean()).isLessThan(1.03);

    Outcome one = new BalanceSimulation(setup.with(StrategyKind.RANDOM)).run();
    assertThat(one.finalMaxOverMean() - 1).isGreaterThan(5 * (two.finalMaxOverMean() - 1));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void staysWithinTheBoundForZipfSizesAndLateHeartbeats(long seed) {
    Setup setup = BalanceSetups.late(seed);
    Outcome two = new BalanceSimulation(setup).run();
    assertThat(two.largestGapInParts()).isLessThanOrEqualTo(2 * LN_N * two.largestPart());
    assertThat(two.finalMaxOverMean()).isLessThan(1.08);

    Outcome one = new BalanceSimulation(setup.with(StrategyKind.RANDOM)).run();
    assertThat(one.finalMaxOverMean() - 1).isGreaterThan(3 * (two.finalMaxOverMean() - 1));
  }

  /**
   * Reason for not choosing the least loaded server: all assignments go to the server that was idle
   * at its last heartbeat.
   */
  @Test
  void balancesBetterThanLeastLoadedWithDelayedLoads() {
    Setup setup = BalanceSetups.veryLate(1);
    double two = new BalanceSimulation(setup).run().finalMaxOverMean();
    double least =
        new BalanceSimulation(setup.with(StrategyKind.LEAST_LOADED)).run().finalMaxOverMean();
    assertThat(least - 1).isGreaterThan(1.5 * (two - 1));
  }
}
