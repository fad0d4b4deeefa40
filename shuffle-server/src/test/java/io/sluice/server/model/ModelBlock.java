package io.sluice.server.model;

/**
 * A block of a map attempt for a partition.
 *
 * @param count number of blocks of the attempt for the partition
 * @param bytes header and payload
 */
@SuppressWarnings("ArrayRecordComponent")
record ModelBlock(int attempt, int partition, int sequence, int count, byte[] bytes) {
  /** By identity: each block is created once. */
  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return (attempt * 31 + partition) * 31 + sequence;
  }

  @Override
  public String toString() {
    return "block " + attempt + "/" + partition + "/" + sequence + " of " + count;
  }
}
