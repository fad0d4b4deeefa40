/**
 * The map side: sorting a task's records by partition in memory that Spark manages, cutting them
 * into blocks, pushing them. Everything here belongs to one map attempt and runs on its task
 * thread; nothing starts a thread. Depends on the client library and on Spark's public classes.
 */
package io.sluice.spark.write;
