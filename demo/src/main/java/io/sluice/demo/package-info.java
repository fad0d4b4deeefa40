/**
 * The demo: runs TPC-H on a real Spark, each query with Spark's own shuffle and then through
 * Sluice, and compares every row. Knows Spark only as processes that it starts; their program is in
 * the module {@code demo/driver}.
 *
 * <p>Threads: everything runs on the caller's thread, except one reader for each driver's output
 * and the shutdown hook.
 */
package io.sluice.demo;
