/**
 * The program that the integration tests run as a Spark driver: jobs that exercise a shuffle, each
 * with one digest of all its rows, so that two runs can be compared. Single-threaded, except for
 * Spark's listener thread.
 */
package io.sluice.it.spark.jobs;
