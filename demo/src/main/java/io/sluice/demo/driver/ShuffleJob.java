package io.sluice.demo.driver;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A shuffle-heavy job. Most return one row with a count and a digest of all columns of all rows.
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

  /** Reads all columns of all rows without a shuffle: the cost of the input of other jobs. */
  SCAN(scan()),

  /**
   * Twenty consecutive aggregations of some thousand rows, to measure the fixed cost of a shuffle.
   */
  SMALL_STEPS(smallSteps(20)),

  /**
   * The query of Apache Uniffle's Netty report ({@code docs/benchmark_netty_case_report.md}): joins
   * the sales of TPC-DS with random customers, distributes the result by two keys, and sums all
   * numbers of all rows. A sale has the same mean number of customers as there.
   */
  STRESS(Workload.TPCDS, stress());

  private final Workload workload;
  private final String sql;

  ShuffleJob(String sql) {
    this(Workload.TPCH, sql);
  }

  ShuffleJob(Workload workload, String sql) {
    this.workload = workload;
    this.sql = sql;
  }

  /** Returns the jobs over the data of a workload. */
  public static List<ShuffleJob> on(Workload workload) {
    return Arrays.stream(values()).filter(job -> job.workload == workload).toList();
  }

  /** Workload whose data the job reads. */
  public Workload workload() {
    return workload;
  }

  private static String scan() {
    String names =
        "orderkey partkey suppkey linenumber quantity extendedprice discount tax returnflag"
            + " linestatus shipdate commitdate receiptdate shipinstruct shipmode comment";
    return Stream.of(names.split(" "))
        .map(column -> "count(l_" + column + ")")
        .collect(Collectors.joining(", ", "SELECT ", " FROM lineitem"));
  }

  private static String stress() {
    Stream<String> numbers =
        columns(
                "sold_time_sk item_sk cdemo_sk hdemo_sk addr_sk store_sk promo_sk ticket_number"
                    + " quantity")
            .map(column -> "CAST(" + column + " AS DECIMAL(10, 2))");
    Stream<String> amounts =
        columns(
            "wholesale_cost list_price sales_price ext_discount_amt ext_sales_price"
                + " ext_wholesale_cost ext_list_price ext_tax coupon_amt net_paid"
                + " net_paid_inc_tax net_profit");
    String sum =
        Stream.concat(numbers, amounts)
            .map(column -> "coalesce(" + column + ", 0)")
            .collect(Collectors.joining(" + "));
    String random = "floor(rand(123) * 1.2747 * (SELECT count(*) FROM customer))";
    return "SELECT sum("
        + sum
        + ") AS total FROM (SELECT s.*, c.* FROM (SELECT *, "
        + random
        + " AS sr FROM store_sales) s JOIN (SELECT *, "
        + random
        + " AS cr FROM customer) c ON s.sr = c.cr DISTRIBUTE BY ss_customer_sk, ss_item_sk)";
  }

  private static Stream<String> columns(String names) {
    return Arrays.stream(names.split(" ")).map(name -> "ss_" + name);
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
