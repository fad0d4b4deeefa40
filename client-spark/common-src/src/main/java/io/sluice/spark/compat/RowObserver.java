package io.sluice.spark.compat;

/**
 * What Spark wants to see of every record that one map attempt writes, so that it notices when a
 * later attempt of the same map task writes other records: Spark 4.1 and later, where Spark SQL
 * asks for it. Owned by the task thread.
 */
public interface RowObserver {
  /** Sees one record before it is written. Borrows both. */
  void see(int partition, Object key, Object value);

  /** Over all records seen, in whatever order. */
  long checksum();
}
