package io.sluice.spark;

import java.util.Set;
import java.util.function.Supplier;

/** Plans of the queries of Spark SQL that run in this driver. */
@FunctionalInterface
interface QueryPlans {
  /**
   * Returns a view of the plan of a running query: each call returns the shuffles that the query
   * does not read again, as its plan is then. Valid also after the end of the query.
   *
   * @param query execution id
   */
  Supplier<Set<Integer>> of(String query);
}
