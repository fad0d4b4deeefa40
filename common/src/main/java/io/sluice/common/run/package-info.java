/**
 * The run file: many blocks of one shuffle, sorted by partition, written once from front to back
 * ({@code docs/formats.md}). {@link io.sluice.common.run.RunFormat} owns the layout; writers and
 * readers are used by one thread each and do plain file I/O.
 */
package io.sluice.common.run;
