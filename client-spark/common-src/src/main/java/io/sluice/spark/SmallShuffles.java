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
 * Driver: finds shuffles that are sure to be small, which may stay on Spark's own shuffle: {@code
 * spark.rss.auto.local.threshold}.
 *
 * <p>When a shuffle is registered nothing of it has been computed. But its map tasks may read
 * nothing other than shuffles that have, as the later stages of a query do under adaptive
 * execution; what they read is known then to the byte. A shuffle is taken for small when that is at
 * most the threshold. Whatever else map tasks read, such as files, has a size that says little of
 * what comes out, so such a shuffle is never taken for small. Thread-safe.
 */
public final class SmallShuffles {
  /** Sizes of more blocks are not added up: a shuffle with so many is hardly small. */
  private static final long MAX_BLOCKS = 1_000_000;

  private final long thresholdBytes;
  private final MapOutputTrackerMaster tracker;

  /**
   * @param thresholdBytes 0: no shuffle is small
   */
  public SmallShuffles(long thresholdBytes, MapOutputTrackerMaster tracker) {
    this.thresholdBytes = thresholdBytes;
    this.tracker = tracker;
  }

  /**
   * What the map tasks of a shuffle that is sure to be small read, in bytes.
   *
   * @param maps what the map tasks compute
   * @return empty if the shuffle is not known to be small
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

  /** Bytes of a shuffle whose map tasks have all been run; -1 if they have not, or are many. */
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
