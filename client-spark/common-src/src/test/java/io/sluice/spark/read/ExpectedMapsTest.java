package io.sluice.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.spark.MapLocation;
import io.sluice.spark.compat.SparkApis;
import io.sluice.spark.local.LocalAttempt;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkConf;
import org.apache.spark.broadcast.BroadcastManager;
import org.apache.spark.scheduler.MapStatus$;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerId$;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import scala.Option;

class ExpectedMapsTest {
  private static final int SHUFFLE = 3;

  private final SparkConf conf = new SparkConf(false);
  private final MapOutputTrackerMaster tracker =
      new MapOutputTrackerMaster(conf, new BroadcastManager(true, conf), true);

  private static BlockManagerId executor(String id) {
    return BlockManagerId$.MODULE$.apply(id, "host", 70, Option.empty());
  }

  @BeforeEach
  void registerShuffle() {
    tracker.shuffleStatuses().put(SHUFFLE, SparkApis.current().shuffleStatus(4, 3));
    register(0, 10, MapLocation.atServers(10, "1"));
    register(1, 11, MapLocation.withLocal(11, executor("1"), true));
    // Spark has moved the files of two map tasks to one executor.
    register(2, 12, executor("2"));
    register(3, 13, executor("2"));
  }

  private void register(int mapIndex, long mapId, BlockManagerId location) {
    long[] lengths = {0, 1000, 2000 + mapIndex};
    tracker.registerMapOutput(
        SHUFFLE, mapIndex, MapStatus$.MODULE$.apply(location, lengths, mapId));
  }

  private ExpectedMaps read(int startMap, int endMap, int startPartition, int endPartition) {
    return ExpectedMaps.of(tracker, SHUFFLE, startMap, endMap, startPartition, endPartition);
  }

  @Test
  void localOutputIsFoundAtTheLocationThatSparkReports() {
    ExpectedMaps expected = read(0, Integer.MAX_VALUE, 0, 3);

    assertThat(expected.local()).containsOnlyKeys(11L, 12L, 13L);
    LocalAttempt fallen = expected.local().get(11L);
    assertThat(fallen.at()).isEqualTo(executor("1"));
    for (long moved : new long[] {12, 13}) {
      assertThat(expected.local().get(moved).at()).isEqualTo(executor("2"));
    }
  }

  @Test
  void sizesAreUpperBoundsAndEmptyPartitionsAreNotExpected() {
    LocalAttempt attempt = read(0, Integer.MAX_VALUE, 0, 3).local().get(13L);

    assertThat(attempt.bytesOfPartition()).containsOnlyKeys(1, 2);
    assertThat(attempt.bytesOfPartition().get(1)).isBetween(1000L, 1200L);
    assertThat(attempt.bytesOfPartition().get(2)).isBetween(2003L, 2400L);
  }

  @Test
  void aRangeOfMapsLeavesOutTheOthers() {
    assertThat(read(1, 3, 2, 3).local()).containsOnlyKeys(11L, 12L);
    assertThat(read(0, 1, 2, 3).local()).isEmpty();
    assertThat(read(3, 4, 0, 1).local()).as("nothing for that partition").isEmpty();
  }
}
