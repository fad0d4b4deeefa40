package org.apache.spark.shuffle;

import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.shuffle.api.ShuffleDriverComponents;
import org.apache.spark.shuffle.sort.io.LocalDiskShuffleDataIO;
import org.apache.spark.shuffle.sort.io.LocalDiskShuffleDriverComponents;

/**
 * Reports to Spark whether shuffle data outlives executors; dynamic allocation needs this before it
 * releases an executor. Map output is written by Spark's implementation, and only for shuffles that
 * fall back to the built-in shuffle.
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
    /**
     * True while there are shuffles and none is stored on local disks. Once a shuffle falls back,
     * false until the application ends.
     */
    @Override
    public boolean supportsReliableStorage() {
      SparkEnv env = SparkEnv.get();
      return env != null
          && env.shuffleManager() instanceof RssShuffleManager manager
          && manager.isStorageReliable();
    }
  }
}
