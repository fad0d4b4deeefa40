/**
 * The demo: runs TPC-H on a real Spark, with Spark's own shuffle and then through Sluice, and compares every row.
 */
package io.sluice.demo;
