package io.sluice.spark.compat;

/**
 * Computes Spark's checksum over the records of one map attempt (Spark 4.1 and later). With it
 * Spark detects that a later attempt of the same map task wrote different records. Owned by the
 * task thread.
 */
public interface RowObserver {
  /** Adds one record before it is written. Borrows key and value. */
  void add(int partition, Object key, Object value);

  /** Checksum over all added records, independent of their order. */
  long checksum();
}
