package org.apache.spark.shuffle;
import org.apache.spark.SparkConf;
import org.apache.spark.shuffle.sort.SortShuffleManager;
public class RssShuffleManager extends SortShuffleManager {
  public RssShuffleManager(SparkConf conf, boolean isDriver) { super(conf); }
  boolean isStorageReliable() { return true; }
}
