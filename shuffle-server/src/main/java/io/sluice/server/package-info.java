/**
 * A shuffle server as a process: its configuration, the order in which its parts start and stop.
 * Everything else lives in packages of its own; only the command line depends on this one. Started
 * and stopped by one thread.
 */
package io.sluice.server;
