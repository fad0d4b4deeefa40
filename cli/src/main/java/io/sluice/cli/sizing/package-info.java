/**
 * {@code sluice sizing}: from what jobs shuffle to machines. Arithmetic without I/O; the reasons
 * stand in docs/sizing.md. No threads.
 */
package io.sluice.cli.sizing;
