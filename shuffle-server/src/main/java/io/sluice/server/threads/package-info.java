/**
 * What the owners of background threads have in common: waiting on their lock for a time, limiting
 * the rate of their bytes, and waiting for threads to end. Starts no thread; depends on no other
 * package of the server.
 */
package io.sluice.server.threads;
