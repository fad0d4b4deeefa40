/**
 * The demo: runs TPC-H or TPC-DS on a real Spark, or terasort and similar programs on a real YARN,
 * each query or program with the engine's built-in shuffle and then through Sluice, and compares
 * every row.
 */
package io.sluice.demo;
