package io.sluice.spark;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.spark.Dependency;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.rdd.RDD;
import scala.collection.Iterator;

/**
 * Driver: detects small shuffles, which use Spark's built-in shuffle ({@code
 * spark.rss.auto.local.threshold}).
 *
 * <p>A shuffle is registered before any of its map output exists. If its map tasks read only
 * completed shuffles, as later stages of a query do under adaptive execution, the size of their
 * input is known exactly. The shuffle is small if this size is at most the threshold. The size of
 * other input, such as files, does not predict the size of the map output, so such a shuffle never
 * counts as small. Thread-safe.
 */
public final class SmallShuffles {
  /** Maximum number of blocks whose sizes are added up; a shuffle with more is not small. */
  private static final long MAX_BLOCKS = 1_000_000;

  private final long thresholdBytes;
  private final MapOutputTrackerMaster tracker;

  /**
   * @param thresholdBytes maximum input of a small shuffle; 0: no shuffle is small
   */
  public SmallShuffles(long thresholdBytes, MapOutputTrackerMaster tracker) {
    this.thresholdBytes = thresholdBytes;
    this.tracker = tracker;
  }

  /**
   * Input of the map tasks of a small shuffle, in bytes.
   *
   * @param maps RDD that the map tasks compute
   * @return empty if the shuffle is large or its input size is unknown
   */
  public OptionalLong smallInput(RDD<?> maps) {
    if (thresholdBytes <= 0) {
      return OptionalLong.empty();
    }
    long bytes = 0;
    Set<Integer> seen = new HashSet<>();
    Deque<RDD<?>> open = new ArrayDeque<>();
    open.add(maps);
    while (!open.isEmpty()) {
      RDD<?> next = open.removeLast();
      if (!seen.add(next.id())) {
        continue;
      }
      if (next.dependencies().isEmpty()) {
        return OptionalLong.empty();
      }
      Iterator<Dependency<?>> dependencies = dependencies(next);
      while (dependencies.hasNext()) {
        Dependency<?> dependency = dependencies.next();
        if (dependency instanceof ShuffleDependency<?, ?, ?> shuffle) {
          long written = writtenBytes(shuffle);
          bytes += written;
          if (written < 0 || bytes > thresholdBytes) {
            return OptionalLong.empty();
          }
        } else {
          open.add(dependency.rdd());
        }
      }
    }
    return OptionalLong.of(bytes);
  }

  @SuppressWarnings("unchecked") // Scala's wildcard inside a sequence.
  private static Iterator<Dependency<?>> dependencies(RDD<?> of) {
    return (Iterator<Dependency<?>>) (Iterator<?>) of.dependencies().iterator();
  }

  /**
   * Bytes of a completed shuffle; -1 if it is not complete or has more than {@link #MAX_BLOCKS}
   * blocks.
   */
  private long writtenBytes(ShuffleDependency<?, ?, ?> shuffle) {
    int maps = shuffle.rdd().getNumPartitions();
    if ((long) maps * shuffle.partitioner().numPartitions() > MAX_BLOCKS
        || !tracker.containsShuffle(shuffle.shuffleId())
        || tracker.getNumAvailableOutputs(shuffle.shuffleId()) < maps) {
      return -1;
    }
    long bytes = 0;
    for (long ofPartition : tracker.getStatistics(shuffle).bytesByPartitionId()) {
      bytes += ofPartition;
    }
    return bytes;
  }
}
