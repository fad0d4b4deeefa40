/**
 * The run file: blocks of one shuffle, sorted by partition, written sequentially once ({@code
 * docs/formats.md}). {@link io.sluice.common.run.RunFormat} owns the layout. Writers and readers
 * use blocking file I/O and are confined to one thread each.
 */
package io.sluice.common.run;
