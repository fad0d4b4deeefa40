/**
 * {@code sluice bench rows}: logs the rows of the exchanges of queries once, and replays them
 * through the push session with and without row planes. All classes run on one thread.
 */
package io.sluice.benchmark.rows;
