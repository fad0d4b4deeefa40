/**
 * What the server end of a connection needs of its server: {@link
 * io.sluice.transport.service.DataService}, which every request becomes a call of, and the memory
 * that is taken before a request is received. Thread-safe; no I/O and no threads. Shuffle servers
 * implement it; clients have no use for it, and their jars leave it out.
 */
package io.sluice.transport.service;
