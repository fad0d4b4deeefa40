package io.sluice.demo;

import io.sluice.demo.driver.ResultRows;
import java.util.List;
import java.util.Optional;

/**
 * Difference of two results as multisets of rows.
 *
 * @param onlyBuiltInCount number of rows only in the result of Spark's built-in shuffle
 * @param onlySluiceCount number of rows only in the result through Sluice
 * @param firstOnlyBuiltIn first row in sorted order that is only in the result of the built-in
 *     shuffle, if any
 * @param firstOnlySluice first row in sorted order that is only in the result through Sluice, if
 *     any
 */
record RowDifference(
    long onlyBuiltInCount,
    long onlySluiceCount,
    Optional<String> firstOnlyBuiltIn,
    Optional<String> firstOnlySluice) {

  /** Compares two sorted results by merging them. */
  static RowDifference between(ResultRows builtIn, ResultRows sluice) {
    List<String> left = builtIn.lines();
    List<String> right = sluice.lines();
    int leftIndex = 0;
    int rightIndex = 0;
    long onlyLeft = 0;
    long onlyRight = 0;
    String firstLeft = null;
    String firstRight = null;
    while (leftIndex < left.size() || rightIndex < right.size()) {
      int order;
      if (leftIndex == left.size()) {
        order = 1;
      } else if (rightIndex == right.size()) {
        order = -1;
      } else {
        order = left.get(leftIndex).compareTo(right.get(rightIndex));
      }
      if (order < 0) {
        firstLeft = firstLeft == null ? left.get(leftIndex) : firstLeft;
        onlyLeft++;
        leftIndex++;
      } else if (order > 0) {
        firstRight = firstRight == null ? right.get(rightIndex) : firstRight;
        onlyRight++;
        rightIndex++;
      } else {
        leftIndex++;
        rightIndex++;
      }
    }
    return new RowDifference(
        onlyLeft, onlyRight, Optional.ofNullable(firstLeft), Optional.ofNullable(firstRight));
  }

  boolean isNone() {
    return onlyBuiltInCount == 0 && onlySluiceCount == 0;
  }
}
