/**
 * Common parts of pushes and reads: server sessions, retries, the connection pool, the failing
 * servers of the process, and the loop in which a task waits. State machines contain no thread,
 * clock or socket; {@link io.sluice.client.server.TaskTime} makes time real or virtual.
 */
package io.sluice.client.server;
