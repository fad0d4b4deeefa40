/**
 * What a shuffle's tasks did with its servers, gathered in the driver by Spark's accumulators: no
 * traffic of its own. Knows the client library's counters and Spark's public classes.
 */
package io.sluice.spark.stats;
