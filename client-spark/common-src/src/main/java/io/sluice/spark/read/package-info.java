/**
 * The reduce side: finds the expected map attempts, reads and verifies their blocks, decodes
 * records, and aggregates and sorts them like Spark's built-in reader. All classes belong to one
 * task and run on its thread. Depends on the client library and on Spark's public classes.
 */
package io.sluice.spark.read;
