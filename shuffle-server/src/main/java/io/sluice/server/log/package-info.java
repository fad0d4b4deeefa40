/**
 * Logs of shuffles: accepted blocks, their order and their locations. In-memory data structures
 * without files, sockets or threads. {@link io.sluice.server.log.ShuffleLog} is thread-safe with
 * one lock per shuffle, which belongs to its {@code LogState}. {@code LogReads}, {@code LogSpills},
 * {@code LogMerges}, and {@code LogLosses} are its parts and take that lock; everything else here
 * is guarded by it or immutable. {@link io.sluice.server.log.LeaseTable} tracks the leases of
 * applications.
 */
package io.sluice.server.log;
