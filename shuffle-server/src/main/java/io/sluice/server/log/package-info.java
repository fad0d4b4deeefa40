/**
 * What is in a shuffle: which blocks were taken, in which order, and where their bytes are. Plain
 * bookkeeping without files, sockets or threads: {@link io.sluice.server.log.ShuffleLog} is
 * thread-safe with one lock per shuffle, everything else here is guarded by that lock or immutable.
 */
package io.sluice.server.log;
