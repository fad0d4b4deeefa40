/**
 * The disks of a server. {@link io.sluice.server.disk.Disk} is one directory: its {@link
 * io.sluice.server.disk.Storage}, its health, its free space. {@link
 * io.sluice.server.disk.DiskHealth} judges a disk by what its own threads report and has neither
 * threads nor files. {@link io.sluice.server.disk.DiskWatch} and {@link
 * io.sluice.server.disk.DiskChecker} probe disks and declare lost what a lost disk stored. {@link
 * io.sluice.server.disk.RunFiles} counts the users of run files and deletes them. {@link
 * io.sluice.server.disk.DiskThread} is the one kind of background thread, so that a disk that hangs
 * stops its own threads only. Calls of the C library work without it, too. Thread-safe.
 */
package io.sluice.server.disk;
