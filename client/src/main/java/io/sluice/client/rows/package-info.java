/**
 * The block encoding <i>row planes</i> of rows in Spark's {@code UnsafeRow} format: writes the
 * values of a column together, and of numbers only the bits that differ. <i>Record planes</i> do
 * the same for keys and values of MapReduce that have one length. The exact bytes come back; {@code
 * docs/formats.md} defines the formats. Instances are owned by one thread. Uses no class of an
 * engine.
 */
package io.sluice.client.rows;
