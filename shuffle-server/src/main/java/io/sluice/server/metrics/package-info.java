/**
 * How long the server's work takes, as histograms. Knows nothing of the parts that tell it;
 * thread-safe.
 */
package io.sluice.server.metrics;
