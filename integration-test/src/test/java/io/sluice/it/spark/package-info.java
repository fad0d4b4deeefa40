/**
 * Real Spark over real server processes: each test starts a Spark driver as a process, with
 * executors in processes of their own, and compares what its jobs give with what they give over
 * Spark's own shuffle.
 */
package io.sluice.it.spark;
