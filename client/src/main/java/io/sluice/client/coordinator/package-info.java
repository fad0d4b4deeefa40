/**
 * What a driver says to the coordinators: application, lease, shuffles, and what comes back, the
 * assignment that travels to the tasks. The client is thread-safe; a session has one daemon thread
 * that renews its lease.
 */
package io.sluice.client.coordinator;
