/**
 * Protocol between the demo and its Spark drivers: one line per command and message, over the
 * driver's standard input and output, and files with the rows of each query. Uses no libraries,
 * because it runs in both processes.
 */
package io.sluice.demo.driver;
