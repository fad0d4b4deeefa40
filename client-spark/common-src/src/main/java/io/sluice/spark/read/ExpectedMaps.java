package io.sluice.spark.read;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.read.ShuffleReadRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.spark.MapOutputTracker;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;

/**
 * What Spark knows of a shuffle's map side: for every partition the attempts whose output counts
 * (of speculative ones the winners) and that hold data for it. Spark never rounds the size of a
 * partition's output to or from zero, so this is exact.
 */
public final class ExpectedMaps {
  private ExpectedMaps() {}

  /**
   * The request that reads partitions {@code startPartition..endPartition-1} of the map tasks
   * {@code startMapIndex..endMapIndex-1}, where {@code Integer.MAX_VALUE} stands for the last.
   */
  public static ShuffleReadRequest request(
      MapOutputTracker tracker,
      ShuffleAssignment assignment,
      int shuffleId,
      int startMapIndex,
      int endMapIndex,
      int startPartition,
      int endPartition) {
    ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
    if (startMapIndex > 0 || endMapIndex < Integer.MAX_VALUE) {
      request.mapRange(startMapIndex, endMapIndex);
    }
    for (OfAttempt attempt :
        ascending(
            tracker.getMapSizesByExecutorId(
                shuffleId, startMapIndex, endMapIndex, startPartition, endPartition))) {
      Iterator<? extends Tuple3<BlockId, Object, Object>> blocks = attempt.blocks.iterator();
      while (blocks.hasNext()) {
        Tuple3<BlockId, Object, Object> block = blocks.next();
        ShuffleBlockId id = (ShuffleBlockId) block._1();
        request.expect(id.reduceId(), id.mapId(), (Integer) block._3());
      }
    }
    return request.build();
  }

  private record OfAttempt(
      long mapId, scala.collection.Seq<? extends Tuple3<BlockId, Object, Object>> blocks) {}

  /** Spark hands them out by location, in no order; each attempt has a location of its own. */
  private static List<OfAttempt> ascending(
      Iterator<
              ? extends
                  Tuple2<
                      BlockManagerId,
                      ? extends scala.collection.Seq<Tuple3<BlockId, Object, Object>>>>
          byLocation) {
    List<OfAttempt> attempts = new ArrayList<>();
    while (byLocation.hasNext()) {
      scala.collection.Seq<Tuple3<BlockId, Object, Object>> blocks = byLocation.next()._2();
      if (!blocks.isEmpty()) {
        attempts.add(new OfAttempt(((ShuffleBlockId) blocks.head()._1()).mapId(), blocks));
      }
    }
    attempts.sort(Comparator.comparingLong(OfAttempt::mapId));
    return attempts;
  }
}
