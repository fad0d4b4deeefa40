package io.sluice.client.push;

/** Groups partitions into sets: the partitions of one set may share frames. Immutable. */
interface FrameSets {
  int count();

  int setOf(int partition);

  /** Highest partition of a set. */
  int lastPartition(int set);

  /** All partitions share frames. */
  static FrameSets one(int partitionCount) {
    return new FrameSets() {
      @Override
      public int count() {
        return 1;
      }

      @Override
      public int setOf(int partition) {
        if (partition < 0 || partition >= partitionCount) {
          throw new IllegalArgumentException(
              "partition out of range: partition=" + partition + " partitions=" + partitionCount);
        }
        return 0;
      }

      @Override
      public int lastPartition(int set) {
        return partitionCount - 1;
      }
    };
  }
}
