/**
 * Run files for clients on the same host: over a Unix domain socket they get open descriptors for
 * reading, and read without the server. Nothing depends on it: a client that gets none fetches. One
 * event loop; files are opened by their disks' threads.
 */
package io.sluice.server.shortcircuit;
