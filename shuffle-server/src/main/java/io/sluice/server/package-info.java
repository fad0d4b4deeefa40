/**
 * The shuffle server process: its configuration, and the order in which its parts start and stop.
 * All other functions are in subpackages; only the command line depends on this package. Started
 * and stopped by one thread.
 */
package io.sluice.server;
