package io.sluice.coordinator.history;

/**
 * What map tasks wrote for a shuffle, and what readers got of it, as the driver reported last.
 *
 * @param records records that completed map attempts wrote
 * @param bytes uncompressed bytes of these records
 * @param matched map attempts, in one partition each, whose records were those of their receipt
 * @param wrong map attempts, in one partition each, whose records were others
 */
public record Receipts(long records, long bytes, long matched, long wrong) {}
