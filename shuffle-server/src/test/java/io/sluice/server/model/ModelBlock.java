package io.sluice.server.model;

/**
 * A block that a map attempt has for a partition.
 *
 * @param count blocks that the attempt has for the partition; the last has the number before
 * @param bytes with header
 */
@SuppressWarnings("ArrayRecordComponent")
record ModelBlock(int attempt, int partition, int sequence, int count, byte[] bytes) {
  /** By identity: each block is made once. */
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
