/**
 * What the coordinator remembers for people who look at the cluster, beside its state: events,
 * throughput, where shuffles went. All of it is bounded, none of it is decided on, and a restart
 * begins with nothing.
 *
 * <p>Thread model: written by the state thread and by one sampling thread, read by any.
 */
package io.sluice.coordinator.history;
