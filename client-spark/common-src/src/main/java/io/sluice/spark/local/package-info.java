/**
 * Spark's own map output files as local output: their blocks, which tasks read where no server has
 * them, and pushes of finished outputs in the background.
 *
 * <p>Runs on the threads of tasks and of the background pusher, and where Spark's network calls
 * back.
 */
package io.sluice.spark.local;
