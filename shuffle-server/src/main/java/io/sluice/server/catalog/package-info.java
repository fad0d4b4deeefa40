/**
 * What each directory holds: a catalog per directory, so that a lost or hung disk takes only its
 * own records with it. The catalog says which runs exist, a run's footer says what is in it.
 *
 * <p>Catalogs are thread-safe and do disk I/O on the calling thread: only the threads of a disk may
 * call that disk's.
 */
package io.sluice.server.catalog;
