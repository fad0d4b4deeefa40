package io.sluice.benchmark.engine;

import java.util.stream.IntStream;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * Ratio of two costs that were measured in pairs.
 *
 * @param mean geometric mean of the ratios
 * @param upperBound one-sided 95 % confidence bound of the mean, by Student's t on logarithms;
 *     infinite for fewer than two pairs
 */
public record PairedRatio(double mean, double upperBound, int pairs) {
  private static final double CONFIDENCE = 0.95;

  /**
   * Computes the ratio.
   *
   * @param costs positive values
   * @param base positive values, one for each of {@code costs}
   */
  public static PairedRatio of(double[] costs, double[] base) {
    double[] logs =
        IntStream.range(0, costs.length).mapToDouble(i -> Math.log(costs[i] / base[i])).toArray();
    int pairs = logs.length;
    double mean = IntStream.range(0, pairs).mapToDouble(i -> logs[i]).average().orElseThrow();
    if (pairs < 2) {
      return new PairedRatio(Math.exp(mean), Double.POSITIVE_INFINITY, pairs);
    }
    double squares = IntStream.range(0, pairs).mapToDouble(i -> square(logs[i] - mean)).sum();
    double standardError = Math.sqrt(squares / (pairs - 1) / pairs);
    double t = TDistribution.of(pairs - 1).inverseCumulativeProbability(CONFIDENCE);
    return new PairedRatio(Math.exp(mean), Math.exp(mean + t * standardError), pairs);
  }

  private static double square(double x) {
    return x * x;
  }
}
