/**
 * The disks of a server. {@link io.sluice.server.disk.Disk} is one directory: its {@link
 * io.sluice.server.disk.Storage}, its health, its free space. {@link
 * io.sluice.server.disk.DiskHealth} derives the state of a disk from the results that its threads
 * report, without threads and I/O of its own. {@link io.sluice.server.disk.DiskWatch} and {@link
 * io.sluice.server.disk.DiskChecker} probe disks and declare the runs of lost disks lost. {@link
 * io.sluice.server.disk.RunFiles} counts the users of run files and deletes them. {@link
 * io.sluice.server.disk.DiskThread} is the only kind of background thread, so that a disk that
 * hangs blocks its own threads only. Calls to the C library are optional. Thread-safe.
 */
package io.sluice.server.disk;
