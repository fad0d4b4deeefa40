/**
 * The map side: sorts a task's records by partition in memory that Spark manages, cuts them into
 * blocks, and pushes them. All classes belong to one map attempt and run on its task thread, except
 * {@link io.sluice.spark.write.MapOutputs}. Depends on the client library and on Spark's public
 * classes.
 */
package io.sluice.spark.write;
