/**
 * The Sluice tab of Spark's web UI: the state of each shuffle, live and in the history server. An
 * event carries the state of one shuffle. Spark's status store has one row per shuffle with its
 * newest state. The page renders these rows. Depends on Spark's web UI, listeners and status store.
 */
package io.sluice.spark.ui;
