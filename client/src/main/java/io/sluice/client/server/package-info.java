/**
 * What every conversation of a task with shuffle servers needs: the state of each server
 * connection, retries, the process's knowledge of failing servers, the pool of connections, and the
 * loop in which a task waits. Push sessions and reads build on it. State machines contain no
 * thread, clock or socket; {@link io.sluice.client.server.TaskTime} makes time real or virtual.
 */
package io.sluice.client.server;
