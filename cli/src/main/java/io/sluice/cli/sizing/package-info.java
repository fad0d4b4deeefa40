/**
 * {@code sluice sizing}: computes the number of servers for a workload. Calculations without I/O
 * and threads, explained in docs/sizing.md.
 */
package io.sluice.cli.sizing;
