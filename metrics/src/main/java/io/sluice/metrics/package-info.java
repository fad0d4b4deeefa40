/**
 * Definition, documentation and export of metrics, and thread dumps, for coordinators and servers.
 * Clients do not use it, because engines publish their own metrics. Classes are immutable, except
 * counters and histograms, which are thread-safe.
 */
package io.sluice.metrics;
