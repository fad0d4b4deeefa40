package io.sluice.demo.driver;

import java.util.Locale;

/**
 * A job whose work is mostly its shuffle. Each gives one row with a count and a digest of every
 * column of every row, which does not depend on their order, so that both sides can be compared and
 * no column is left out of the shuffle.
 */
public enum ShuffleJob {
  /** Wide rows to other partitions, by key; nothing is done with them there. */
  REPARTITION(
      """
      SELECT count(*) AS lines, bit_xor(xxhash64(l.*)) AS digest
      FROM (SELECT /*+ REPARTITION(l_orderkey) */ * FROM lineitem) l
      """),

  /** The table joined with itself: both sides are shuffled and sorted, most columns of one. */
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
   * All rows in a total order. Comparing a row with nothing keeps the order from being optimised
   * away, which a count alone would allow.
   */
  SORT(
      """
      SELECT count(*) AS lines, bit_xor(xxhash64(s.*)) AS digest, first(l_comment) IS NULL AS none
      FROM (SELECT * FROM lineitem ORDER BY l_extendedprice, l_orderkey, l_linenumber) s
      """),

  /**
   * Twenty aggregations, one after the other, of some thousand rows: what a shuffle itself costs.
   */
  SMALL_STEPS(smallSteps(20));

  private final String sql;

  ShuffleJob(String sql) {
    this.sql = sql;
  }

  /** Each step groups by a key that is not that of the step before, so that it must shuffle. */
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

  /** As users write it: {@code self-join}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The job of that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static ShuffleJob of(String word) {
    return valueOf(word.strip().toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  /** Its text. Where no number of partitions stands in it, Spark's configuration gives it. */
  public String sql(int partitions) {
    return sql.replace("${partitions}", Integer.toString(partitions));
  }
}
