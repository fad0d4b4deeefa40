/**
 * The block encoding <i>row planes</i> of rows in Spark's {@code UnsafeRow} format: writes the
 * values of a column together, and of numbers only the bits that differ. The exact bytes come back;
 * {@code docs/formats.md} defines the format. Instances are owned by one thread. Uses no class of
 * an engine.
 */
package io.sluice.client.rows;
