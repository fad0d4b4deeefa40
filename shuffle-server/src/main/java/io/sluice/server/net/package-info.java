/**
 * Short-circuit reads: clients on the same host get read-only descriptors of run files over a Unix
 * domain socket, and read the files directly. They are optional: a client without a descriptor
 * fetches from the server. One event loop; reader threads of the disks open the files. Connections
 * of the data protocol are in {@code io.sluice.transport.server}.
 */
package io.sluice.server.net;
