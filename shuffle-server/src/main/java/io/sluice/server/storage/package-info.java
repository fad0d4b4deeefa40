/**
 * The directories that run files lie in: one {@link io.sluice.server.storage.Storage} each, with
 * its health and fill in a {@link io.sluice.server.storage.Disk}, and the run files that logs and
 * readers refer to. Thread-safe; {@link io.sluice.server.storage.RunFiles} has one thread per disk,
 * which deletes.
 */
package io.sluice.server.storage;
