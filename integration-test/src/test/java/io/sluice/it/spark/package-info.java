/**
 * Spark on real server processes. Each test starts a Spark driver process with executor processes
 * and compares the results of its jobs with those of the built-in shuffle.
 */
package io.sluice.it.spark;
