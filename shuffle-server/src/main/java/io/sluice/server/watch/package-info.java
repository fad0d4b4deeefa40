/**
 * Watches the disks: one thread per disk refreshes what is known of it and probes it ({@link
 * io.sluice.server.watch.DiskChecker}); one thread for all, which touches no disk, notices what is
 * overdue and declares lost what a lost disk held ({@link io.sluice.server.watch.DiskWatch}).
 */
package io.sluice.server.watch;
