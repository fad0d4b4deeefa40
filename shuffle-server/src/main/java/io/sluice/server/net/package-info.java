/**
 * Run files for clients on the same host: over a Unix domain socket they get open descriptors for
 * reading, and read without the server. Nothing depends on it: a client that gets none fetches. One
 * event loop; the disks' own threads open files. Connections of the data protocol are in {@code
 * io.sluice.transport.server}.
 */
package io.sluice.server.net;
