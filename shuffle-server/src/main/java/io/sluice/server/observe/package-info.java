/**
 * Counters and latency histograms of the data path, which other packages update and {@code http}
 * publishes. Depends on no other package of the server. Thread-safe.
 */
package io.sluice.server.observe;
