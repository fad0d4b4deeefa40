/**
 * The Spark plugin below its entry points in {@code org.apache.spark.shuffle}: configuration,
 * driver-side listeners and RPC endpoints, and state shared by the tasks of one executor. Depends
 * on the client library and on Spark's public classes. It does not use package-private classes of
 * Spark, so plugin and Spark may be loaded by different class loaders.
 */
package io.sluice.spark;
