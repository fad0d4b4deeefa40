/**
 * Servers and applications of the cluster: liveness, load, exclusions, leases, fallbacks. Immutable
 * values that any thread may read; a change makes a new value. Depends on protocol messages only.
 */
package io.sluice.coordinator.cluster;
