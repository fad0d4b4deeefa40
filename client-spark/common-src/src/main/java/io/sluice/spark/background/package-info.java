/**
 * Mode always: map output that lies in Spark's own map output files is pushed behind its task, as
 * long as some stage may still read it. The driver follows the stages, executors ask it. Runs on
 * Spark's listener thread in the driver and on the client's pusher threads in executors. Depends on
 * the client library and on Spark's scheduler events and RPC.
 */
package io.sluice.spark.background;
