/**
 * The coordinator's figures for Prometheus. One object per process, passed to whoever counts;
 * thread-safe.
 */
package io.sluice.coordinator.metrics;
