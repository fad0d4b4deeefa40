package io.sluice.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.spark.compat.SparkApi;
import io.sluice.spark.compat.SparkApis;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkConf;
import org.apache.spark.broadcast.BroadcastManager;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerId$;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import scala.Option;
import scala.collection.Iterator;

/** Four maps of a shuffle with two partitions: 0 and 1 ran on executor 1, 2 and 3 on executor 2. */
class SluiceShuffleStatusTest {
  private static final int SHUFFLE = 1;
  private static final int MAPS = 4;

  private final SparkConf conf = new SparkConf(false);
  private final MapOutputTrackerMaster tracker =
      new MapOutputTrackerMaster(conf, new BroadcastManager(true, conf), true);
  private final SparkApi spark = SparkApis.current();

  @BeforeEach
  void addOutputs() {
    tracker.shuffleStatuses().put(SHUFFLE, spark.shuffleStatus(MAPS, 2));
    add(0, MapLocation.atServers(100, "1"));
    add(1, MapLocation.withLocal(101, executor("1"), true));
    add(2, MapLocation.atServers(102, "2"));
    add(3, MapLocation.withLocal(103, executor("2"), false));
  }

  @AfterEach
  void stop() {
    tracker.unregisterShuffle(SHUFFLE);
  }

  private void add(int mapIndex, BlockManagerId location) {
    add(mapIndex, 100 + mapIndex, location);
  }

  private void add(int mapIndex, long mapId, BlockManagerId location) {
    tracker.registerMapOutput(
        SHUFFLE,
        mapIndex,
        spark.mapStatus(location, new long[] {5, 7}, mapId, SparkApi.NO_CHECKSUM));
  }

  private static BlockManagerId executor(String id) {
    return BlockManagerId$.MODULE$.apply(id, "host-" + id, 70, Option.empty());
  }

  /** Calls of Spark's scheduler after a fetch failure of a new epoch. */
  private void fetchFailed(int mapIndex, BlockManagerId failed) {
    tracker.unregisterMapOutput(SHUFFLE, mapIndex, failed);
    tracker.removeOutputsOnExecutor(failed.executorId());
  }

  private List<Integer> missing() {
    List<Integer> maps = new ArrayList<>();
    Iterator<Object> found = tracker.findMissingPartitions(SHUFFLE).get().iterator();
    while (found.hasNext()) {
      maps.add((Integer) found.next());
    }
    return maps;
  }

  private List<String> preferredHosts() {
    List<String> hosts = new ArrayList<>();
    for (BlockManagerId location :
        tracker.getLocationsWithLargestOutputs(SHUFFLE, 0, 2, 0.2).get()) {
      hosts.add(location.host());
    }
    return hosts;
  }

  @Test
  void onlyARealExecutorIsAPreferredLocation() {
    assertThat(preferredHosts()).hasSize(MAPS).containsOnlyNulls();

    tracker.updateMapOutput(SHUFFLE, 101, executor("5"));

    assertThat(preferredHosts()).hasSize(MAPS).contains("host-5").doesNotContain("sluice.invalid");
  }

  @Test
  void executorsReceiveThePlaceholders() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(tracker.shuffleStatuses().get(SHUFFLE).get().mapStatuses());
      out.writeObject(tracker.getMapOutputLocation(SHUFFLE, 100).get());
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      assertThat(Arrays.stream((MapStatus[]) in.readObject()).map(MapStatus::location))
          .containsExactly(
              MapLocation.atServers(100, "1"),
              MapLocation.withLocal(101, executor("1"), true),
              MapLocation.atServers(102, "2"),
              MapLocation.withLocal(103, executor("2"), false));
      assertThat(in.readObject()).isEqualTo(MapLocation.atServers(100, "1"));
    }
  }

  @Test
  void aFailureThatNamesAnAttemptUnregistersItsOutput() {
    fetchFailed(1, MapLocation.of(101));

    assertThat(missing()).containsExactly(1);
  }

  @Test
  void aFailureThatNamesAnAttemptFindsItsOutputWhereSparkHasMovedIt() {
    tracker.updateMapOutput(SHUFFLE, 103, executor("5"));

    fetchFailed(3, MapLocation.of(103));

    assertThat(missing()).containsExactly(3);
  }

  @Test
  void aFailureThatNamesAReplacedAttemptUnregistersNothing() {
    add(0, 110, MapLocation.atServers(110, "2"));

    fetchFailed(0, MapLocation.of(100));

    assertThat(missing()).isEmpty();
  }

  @Test
  void aFailureThatNamesAnExecutorUnregistersItsOutputs() {
    fetchFailed(0, executor("1"));

    assertThat(missing()).containsExactly(0, 1);
  }

  @Test
  void aFailureThatNamesAnExecutorKeepsOutputsOfOthers() {
    fetchFailed(2, executor("1"));

    assertThat(missing())
        .as("outputs of the named executor; map 2 is from another one")
        .containsExactly(0, 1);
  }

  @Test
  void aLateFailureOfTheSameCauseUnregistersItsOutputOnly() {
    fetchFailed(0, executor("1"));
    add(0, 110, MapLocation.atServers(110, "1"));
    add(1, 111, MapLocation.atServers(111, "1"));

    // Spark's scheduler does not remove the outputs on the executor again.
    tracker.unregisterMapOutput(SHUFFLE, 1, executor("1"));

    assertThat(missing()).containsExactly(1);
  }

  @Test
  void aLateFailureDoesNotUnregisterMoreWhenItsExecutorIsLost() {
    tracker.unregisterMapOutput(SHUFFLE, 1, executor("1"));
    add(1, 111, MapLocation.atServers(111, "1"));

    tracker.removeOutputsOnExecutor("1");

    assertThat(missing()).isEmpty();
  }

  @Test
  void aFailureWithoutLocationUnregistersNothing() {
    tracker.unregisterMapOutput(SHUFFLE, 0, null);

    assertThat(missing()).isEmpty();
  }

  @Test
  void theLossOfAnExecutorUnregistersOnlyOutputsMovedToIt() {
    tracker.updateMapOutput(SHUFFLE, 103, executor("1"));

    tracker.removeOutputsOnExecutor("1");
    tracker.removeOutputsOnExecutor("driver");
    tracker.removeOutputsOnHost("sluice.invalid");

    assertThat(missing()).containsExactly(3);
  }
}
