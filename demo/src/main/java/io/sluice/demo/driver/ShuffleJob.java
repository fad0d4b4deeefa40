package io.sluice.demo.driver;

import java.util.Locale;

/**
 * A shuffle-heavy job. Each returns one row with a count and a digest of all columns of all rows.
 * The digest does not depend on the order of rows, so both sides can be compared, and it keeps all
 * columns in the shuffle.
 */
public enum ShuffleJob {
  /** Repartitions wide rows by key. */
  REPARTITION(
      """
      SELECT count(*) AS lines, bit_xor(xxhash64(l.*)) AS digest
      FROM (SELECT /*+ REPARTITION(l_orderkey) */ * FROM lineitem) l
      """),

  /** Joins a table with itself: both inputs are shuffled and sorted, one with all its columns. */
  SELF_JOIN(
      """
      SELECT count(*) AS lines, bit_xor(xxhash64(j.*)) AS digest
      FROM (
        SELECT /*+ MERGE(a, b) */ a.*, b.l_partkey AS partkey, b.l_extendedprice AS price
        FROM lineitem a JOIN lineitem b
        ON a.l_orderkey = b.l_orderkey AND a.l_linenumber = b.l_linenumber
      ) j
      """),

  /**
   * Sorts all rows. The comparison of the first row with NULL prevents the optimizer from removing
   * the sort.
   */
  SORT(
      """
      SELECT count(*) AS lines, bit_xor(xxhash64(s.*)) AS digest, first(l_comment) IS NULL AS none
      FROM (SELECT * FROM lineitem ORDER BY l_extendedprice, l_orderkey, l_linenumber) s
      """),

  /**
   * Twenty consecutive aggregations of some thousand rows, to measure the fixed cost of a shuffle.
   */
  SMALL_STEPS(smallSteps(20));

  private final String sql;

  ShuffleJob(String sql) {
    this.sql = sql;
  }

  /** Each step groups by another key than the step before, so that it must shuffle. */
  private static String smallSteps(int steps) {
    String rows =
        "SELECT l_suppkey AS k, count(*) AS c, sum(CAST(l_quantity AS BIGINT)) AS v"
            + " FROM lineitem GROUP BY l_suppkey";
    for (int step = 1; step <= steps; step++) {
      rows =
          "SELECT (k * 7919 + "
              + step
              + ") % 100003 AS k, sum(c) AS c, sum(v) AS v FROM ("
              + rows
              + ") GROUP BY (k * 7919 + "
              + step
              + ") % 100003";
    }
    return "SELECT count(*) AS lines, bit_xor(xxhash64(t.*)) AS digest FROM (" + rows + ") t";
  }

  /** Value of the option, such as {@code self-join}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Parses the value of the option.
   *
   * @throws IllegalArgumentException if there is no such job
   */
  public static ShuffleJob of(String label) {
    return valueOf(label.strip().toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  /**
   * SQL text of the job. Without a number of partitions in the text, Spark's configuration applies.
   */
  public String sql(int partitions) {
    return sql.replace("${partitions}", Integer.toString(partitions));
  }
}
