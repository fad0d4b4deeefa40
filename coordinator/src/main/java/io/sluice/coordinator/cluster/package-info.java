/**
 * Servers and applications as the coordinator knows them: liveness, load, exclusions, leases,
 * fallbacks. Immutable values, safe to read from any thread; a change makes a new value. Depends on
 * protocol messages only.
 */
package io.sluice.coordinator.cluster;
