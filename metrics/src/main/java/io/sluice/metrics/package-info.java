/**
 * What the figures of a process are named and mean, and how they are published. For the processes
 * that are scraped: clients live in engines that publish their own. Immutable, but for what counts,
 * which is thread-safe.
 */
package io.sluice.metrics;
