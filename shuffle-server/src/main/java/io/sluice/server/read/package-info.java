/**
 * Reading run files for fetches, so that nobody but a disk's own reader threads waits for that
 * disk.
 *
 * <p>{@link io.sluice.server.read.FileReads} is called by any thread and answers at once what lies
 * in memory or in the page cache. The rest is read by the threads of a {@link
 * io.sluice.server.read.DiskReader}, one per disk, and the answer comes later, or a refusal in its
 * place when the disk takes too long. Locks in here are held for bookkeeping only.
 */
package io.sluice.server.read;
