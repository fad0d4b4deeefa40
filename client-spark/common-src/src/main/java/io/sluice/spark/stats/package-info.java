/**
 * Counters of a shuffle's pushes and reads, collected in the driver by Spark's accumulators,
 * without messages of its own. Depends on the client library's counters and Spark's public classes.
 */
package io.sluice.spark.stats;
