/**
 * The Spark plugin below its entry points in {@code org.apache.spark.shuffle}: what it takes from
 * Spark's configuration, what the driver does, what the executors of one process share. Depends on
 * the client library and on Spark's public classes; those of Spark that are private to a Java
 * package are not used, so that plugin and Spark may come from different class loaders.
 */
package io.sluice.spark;
