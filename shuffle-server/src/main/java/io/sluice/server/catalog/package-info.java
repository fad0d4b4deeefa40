/**
 * The run catalogs: one per directory, so that a lost or hung disk affects its own records only.
 * The catalog lists the runs; the footer of a run lists its blocks.
 *
 * <p>Catalogs are thread-safe and do disk I/O on the calling thread: only the threads of a disk may
 * call its catalog.
 */
package io.sluice.server.catalog;
