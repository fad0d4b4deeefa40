/**
 * What one application or one peer may take of this server: quotas as coordinators say them, and
 * connections.
 *
 * <p>Thread model: written by heartbeats and by whoever accepts connections, read by every
 * connection; all of it is thread-safe.
 */
package io.sluice.server.limits;
