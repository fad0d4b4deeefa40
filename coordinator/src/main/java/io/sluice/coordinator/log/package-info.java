/**
 * The coordinator's metadata log: an ordered log of records that are bytes here, and a snapshot
 * that replaces the records before it. {@link io.sluice.coordinator.log.MetadataLog} is the
 * interface; {@link io.sluice.coordinator.log.RocksMetadataLog} keeps it in a directory, {@link
 * io.sluice.coordinator.log.InMemoryMetadataLog} is used without one.
 *
 * <p>Thread model: a log belongs to one thread at a time. Depends on nothing of the coordinator; a
 * replicated log would be another implementation of the interface.
 */
package io.sluice.coordinator.log;
