package io.sluice.spark.read;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.common.block.BlockHeader;
import io.sluice.spark.MapLocation;
import io.sluice.spark.local.LocalAttempt;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.MapOutputTracker;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;

/**
 * Expected map outputs of a read, from Spark's map statuses: for every partition, the winning
 * attempts that wrote data for it, and which of them have local output. Spark never rounds a
 * partition's size to or from zero, so this is exact. Immutable.
 */
public final class ExpectedMaps {
  private final int startMapIndex;
  private final int endMapIndex;
  private final List<Attempt> attempts = new ArrayList<>();
  private final Map<Long, LocalAttempt> local = new HashMap<>();

  /**
   * One attempt and the partitions that it wrote data for. Compact, because there may be millions
   * of pairs.
   */
  private static final class Attempt {
    private final long mapId;
    private final int mapIndex;
    private int[] partitions = new int[1];
    private int count;

    Attempt(long mapId, int mapIndex) {
      this.mapId = mapId;
      this.mapIndex = mapIndex;
    }

    void add(int partition) {
      if (count == partitions.length) {
        partitions = Arrays.copyOf(partitions, count * 2);
      }
      partitions[count++] = partition;
    }
  }

  private ExpectedMaps(int startMapIndex, int endMapIndex) {
    this.startMapIndex = startMapIndex;
    this.endMapIndex = endMapIndex;
  }

  /**
   * The expected outputs of partitions {@code startPartition..endPartition-1} and map tasks {@code
   * startMapIndex..endMapIndex-1}; {@code endMapIndex} is {@code Integer.MAX_VALUE} for all map
   * tasks.
   */
  public static ExpectedMaps of(
      MapOutputTracker tracker,
      int shuffleId,
      int startMapIndex,
      int endMapIndex,
      int startPartition,
      int endPartition) {
    ExpectedMaps expected = new ExpectedMaps(startMapIndex, endMapIndex);
    Iterator<
            ? extends
                Tuple2<
                    BlockManagerId,
                    ? extends scala.collection.Seq<Tuple3<BlockId, Object, Object>>>>
        byLocation =
            tracker.getMapSizesByExecutorId(
                shuffleId, startMapIndex, endMapIndex, startPartition, endPartition);
    while (byLocation.hasNext()) {
      Tuple2<BlockManagerId, ? extends scala.collection.Seq<Tuple3<BlockId, Object, Object>>>
          found = byLocation.next();
      expected.add(found._1(), found._2().iterator());
    }
    // Spark returns attempts grouped by location, in no defined order.
    expected.attempts.sort(Comparator.comparingLong(attempt -> attempt.mapId));
    return expected;
  }

  private void add(
      BlockManagerId location, Iterator<? extends Tuple3<BlockId, Object, Object>> blocks) {
    Optional<MapLocation.Local> there = MapLocation.localOf(location);
    Attempt attempt = null;
    while (blocks.hasNext()) {
      Tuple3<BlockId, Object, Object> block = blocks.next();
      ShuffleBlockId id = (ShuffleBlockId) block._1();
      // Blocks of one attempt are adjacent.
      if (attempt == null || attempt.mapId != id.mapId()) {
        attempt = new Attempt(id.mapId(), (Integer) block._3());
        attempts.add(attempt);
      }
      attempt.add(id.reduceId());
      if (there.isPresent()) {
        local
            .computeIfAbsent(id.mapId(), any -> new LocalAttempt(there.get().at(), new HashMap<>()))
            .bytesOfPartition()
            // Sizes in map statuses exclude block headers; there is at least one block.
            .put(id.reduceId(), (Long) block._2() + BlockHeader.LENGTH);
      }
    }
  }

  /** The request that reads all expected outputs from the servers. */
  public ShuffleReadRequest.Builder request(ShuffleAssignment assignment) {
    ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
    if (startMapIndex > 0 || endMapIndex < Integer.MAX_VALUE) {
      request.mapRange(startMapIndex, endMapIndex);
    }
    for (Attempt attempt : attempts) {
      for (int i = 0; i < attempt.count; i++) {
        request.expect(attempt.partitions[i], attempt.mapId, attempt.mapIndex);
      }
    }
    return request;
  }

  /**
   * Marks the pieces that are too large for the background push, so that the read does not wait for
   * them. Sizes in map statuses are a few percent off; a wrong guess costs a needless wait or a
   * missed one.
   */
  public void markLeftLocal(ShuffleReadRequest.Builder request, long largestPushedBytes) {
    local.forEach(
        (mapId, attempt) ->
            attempt
                .bytesOfPartition()
                .forEach(
                    (partition, bytes) -> {
                      if (bytes > largestPushedBytes) {
                        request.neverPushed(partition, mapId);
                      }
                    }));
  }

  /** The attempts with local output, by their ids. Callers must not modify the map. */
  public Map<Long, LocalAttempt> local() {
    return local;
  }
}
