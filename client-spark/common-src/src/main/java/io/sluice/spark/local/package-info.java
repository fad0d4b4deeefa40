/**
 * Local output in Spark's map output files: written by map tasks, read by reduce tasks where no
 * server stores the blocks, and pushed to servers in the background.
 *
 * <p>Runs on task threads, on the threads of the background pusher, and on Spark's network threads.
 */
package io.sluice.spark.local;
