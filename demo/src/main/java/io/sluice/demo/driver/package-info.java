/**
 * What the demo and the program in its Spark driver say to each other: one line each way per step,
 * over the driver's standard input and output, and files with the rows of each query. Uses no
 * library, because it runs on both sides.
 */
package io.sluice.demo.driver;
