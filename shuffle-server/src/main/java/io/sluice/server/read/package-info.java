/**
 * Reads run files for fetches. Only the reader threads of a disk wait for that disk.
 *
 * <p>{@link io.sluice.server.read.FileReads} is called by any thread and immediately answers
 * fetches of bytes in memory or in the page cache. A {@link io.sluice.server.read.DiskReader} per
 * disk reads the others on its threads; a read that exceeds the timeout fails the fetch. Locks are
 * held only for short updates of data structures.
 */
package io.sluice.server.read;
