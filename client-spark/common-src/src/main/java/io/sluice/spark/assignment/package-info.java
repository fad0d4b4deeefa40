/**
 * Assignments that change while a shuffle is written: only the driver changes them, tasks ask it
 * over Spark's own RPC, and every later task finds the newest in its shuffle handle or in the
 * memory of its process. The driver answers on a few threads of its own; everything else runs on
 * the threads of its callers. Depends on the client library and on Spark's RPC.
 */
package io.sluice.spark.assignment;
