package org.apache.spark.shuffle;

import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.shuffle.api.ShuffleDriverComponents;
import org.apache.spark.shuffle.sort.io.LocalDiskShuffleDataIO;
import org.apache.spark.shuffle.sort.io.LocalDiskShuffleDriverComponents;

/**
 * Tells Spark whether shuffle data outlives executors, which is what dynamic allocation needs to
 * know before it lets one go. Local output is written by Spark's own implementation: it is used for
 * shuffles that fell back to Spark's sort shuffle, and only for them.
 */
public final class RssShuffleDataIo extends LocalDiskShuffleDataIO {
  public RssShuffleDataIo(SparkConf conf) {
    super(conf);
  }

  @Override
  public ShuffleDriverComponents driver() {
    return new DriverComponents();
  }

  private static final class DriverComponents extends LocalDiskShuffleDriverComponents {
    /** False until there is a shuffle, and from the first one on that uses local disks. */
    @Override
    public boolean supportsReliableStorage() {
      SparkEnv env = SparkEnv.get();
      return env != null
          && env.shuffleManager() instanceof RssShuffleManager manager
          && manager.isStorageReliable();
    }
  }
}
