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
 * What Spark knows of a shuffle's map side: for every partition the attempts whose output counts
 * (of speculative ones the winners) and that hold data for it, and which of them have local output.
 * Spark never rounds the size of a partition's output to or from zero, so this is exact. Immutable.
 */
public final class ExpectedMaps {
  private final int startMapIndex;
  private final int endMapIndex;
  private final List<Attempt> attempts = new ArrayList<>();
  private final Map<Long, LocalAttempt> local = new HashMap<>();

  /** One attempt and the partitions that it holds data for: there may be millions of pairs. */
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
   * What there is to read of partitions {@code startPartition..endPartition-1} of the map tasks
   * {@code startMapIndex..endMapIndex-1}, where {@code Integer.MAX_VALUE} stands for the last.
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
    // Spark hands them out by location, in no order.
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
      // Blocks of an attempt follow each other.
      if (attempt == null || attempt.mapId != id.mapId()) {
        attempt = new Attempt(id.mapId(), (Integer) block._3());
        attempts.add(attempt);
      }
      attempt.add(id.reduceId());
      if (there.isPresent()) {
        local
            .computeIfAbsent(id.mapId(), any -> new LocalAttempt(there.get().at(), new HashMap<>()))
            .bytesOfPartition()
            // Sizes in map statuses are without headers of blocks; there is at least one.
            .put(id.reduceId(), (Long) block._2() + BlockHeader.LENGTH);
      }
    }
  }

  /** The request that reads all of it from the servers. */
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
   * Tells a request which pieces are larger than what is pushed behind its task. Sizes are those of
   * Spark's map statuses, a few percent off: a wrong guess costs a wait for nothing, or none where
   * one would have helped.
   */
  public void leaveLocal(ShuffleReadRequest.Builder request, long largestPushedBytes) {
    local.forEach(
        (mapId, attempt) ->
            attempt
                .bytesOfPartition()
                .forEach(
                    (partition, bytes) -> {
                      if (bytes > largestPushedBytes) {
                        request.leftLocal(partition, mapId);
                      }
                    }));
  }

  /** The attempts that have local output, by their ids. Not to be changed. */
  public Map<Long, LocalAttempt> local() {
    return local;
  }
}
