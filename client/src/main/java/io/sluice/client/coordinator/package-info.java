/**
 * Requests of a driver to the coordinators: registration of the application and its shuffles, and
 * renewal of the lease. The result is the assignment of a shuffle, which the engine sends to the
 * tasks. The client is thread-safe; a session has one daemon thread that renews the lease.
 */
package io.sluice.client.coordinator;
