/**
 * Assignments that change while a shuffle is written. Only the driver changes them; tasks request
 * changes over Spark's RPC. Later tasks find the newest assignment in their shuffle handle or in
 * their process. The driver replies on a small thread pool; everything else runs on the caller's
 * thread. Depends on the client library and on Spark's RPC.
 */
package io.sluice.spark.assignment;
