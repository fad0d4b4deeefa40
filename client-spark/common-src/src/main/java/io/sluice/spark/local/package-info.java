/**
 * Blocks that lie in Spark's own map output files, in block format: written where no server takes
 * them, served by Spark's block manager or external shuffle service, read where servers have them
 * not. Everything here runs on the threads of tasks, apart from what Spark's network calls back.
 */
package io.sluice.spark.local;
