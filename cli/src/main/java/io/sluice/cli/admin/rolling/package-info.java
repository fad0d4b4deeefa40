/**
 * Restarts the servers of a cluster one after another, under running jobs.
 *
 * <p>Thread model: one thread, which blocks on calls and between looks.
 */
package io.sluice.cli.admin.rolling;
