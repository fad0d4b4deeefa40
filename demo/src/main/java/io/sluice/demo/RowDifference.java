package io.sluice.demo;

import io.sluice.demo.driver.ResultRows;
import java.util.List;
import java.util.Optional;

/**
 * What two results do not share, rows counted as often as they occur.
 *
 * @param onlyOwnCount rows that only Spark's own shuffle gave
 * @param onlySluiceCount rows that only came through Sluice
 * @param firstOnlyOwn the first of them in sorted order, if any
 * @param firstOnlySluice the first of them in sorted order, if any
 */
record RowDifference(
    long onlyOwnCount,
    long onlySluiceCount,
    Optional<String> firstOnlyOwn,
    Optional<String> firstOnlySluice) {

  /** Merges the two sorted results. */
  static RowDifference between(ResultRows own, ResultRows sluice) {
    List<String> left = own.lines();
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
    return onlyOwnCount == 0 && onlySluiceCount == 0;
  }
}
