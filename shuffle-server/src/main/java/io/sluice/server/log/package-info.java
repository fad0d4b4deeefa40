/**
 * What is in a shuffle: which blocks were taken, in which order, and where their bytes are. Plain
 * bookkeeping without files, sockets or threads. {@link io.sluice.server.log.ShuffleLog} is
 * thread-safe with one lock per shuffle, which belongs to its {@code LogState}. {@code LogReads},
 * {@code LogSpills}, {@code LogMerges}, and {@code LogLosses} are its parts and take that lock;
 * everything else here is guarded by it or immutable. {@link io.sluice.server.log.LeaseTable} is
 * the time until which the shuffles of an application are kept.
 */
package io.sluice.server.log;
