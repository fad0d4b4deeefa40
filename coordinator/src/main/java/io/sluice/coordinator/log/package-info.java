/**
 * The coordinator's metadata log: an ordered log of opaque records, and a snapshot that replaces
 * the oldest records. {@link io.sluice.coordinator.log.MetadataLog} is the interface; {@link
 * io.sluice.coordinator.log.RocksMetadataLog} stores it in a directory, {@link
 * io.sluice.coordinator.log.InMemoryMetadataLog} is used without a directory.
 *
 * <p>Thread model: a log is used by one thread at a time. Depends on no other package of the
 * coordinator; a replicated log would be another implementation of the interface.
 */
package io.sluice.coordinator.log;
