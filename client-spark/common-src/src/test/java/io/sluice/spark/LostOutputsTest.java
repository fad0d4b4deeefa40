package io.sluice.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.TestAssignments;
import io.sluice.client.push.ApplicationAssignments;
import io.sluice.spark.MissingMaps.Attempt;
import io.sluice.spark.compat.SparkApis;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.FetchFailed;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkConf;
import org.apache.spark.broadcast.BroadcastManager;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.scheduler.MapStatus$;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerId$;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import scala.Option;
import scala.collection.Iterator;

/** Six maps of a shuffle with 20 partitions on two servers; the attempt of map m has id 100 + m. */
class LostOutputsTest {
  private static final int SHUFFLE = 1;
  private static final int MAPS = 6;

  private final SparkConf conf = new SparkConf(false);
  private final BroadcastManager broadcasts = new BroadcastManager(true, conf);
  private final MapOutputTrackerMaster tracker = new MapOutputTrackerMaster(conf, broadcasts, true);
  private final ApplicationAssignments assignments =
      new ApplicationAssignments(
          (shuffle, partitions, excluded, zone) -> Optional.of(TestAssignments.server(7)),
          10,
          () -> 0);
  private final List<Integer> wrongReceipts = new ArrayList<>();
  private final LostOutputs lost = lost(false);

  private LostOutputs lost(boolean filesOutliveExecutors) {
    return new LostOutputs(
        tracker,
        filesOutliveExecutors,
        () -> List.of(SHUFFLE),
        assignments,
        Runnable::run,
        wrongReceipts::add);
  }

  @BeforeEach
  void registerMaps() {
    assignments.register(TestAssignments.of(SHUFFLE, 2, 1));
    tracker.shuffleStatuses().put(SHUFFLE, SparkApis.current().shuffleStatus(MAPS, 20));
    for (int map = 0; map < MAPS; map++) {
      register(map, 100 + map, MapLocation.of(100 + map), 0);
    }
  }

  @AfterEach
  void stop() {
    tracker.unregisterShuffle(SHUFFLE);
  }

  /** Sizes with output for one partition only. */
  private void register(int mapIndex, long mapId, BlockManagerId location, int partition) {
    long[] lengths = new long[20];
    lengths[partition] = 1000;
    MapStatus status = MapStatus$.MODULE$.apply(location, lengths, mapId);
    tracker.registerMapOutput(SHUFFLE, mapIndex, status);
  }

  private List<Integer> missing() {
    List<Integer> maps = new ArrayList<>();
    Iterator<Object> found = tracker.findMissingPartitions(SHUFFLE).get().iterator();
    while (found.hasNext()) {
      maps.add((Integer) found.next());
    }
    return maps;
  }

  private static BlockManagerId executor(String id) {
    return BlockManagerId$.MODULE$.apply(id, "host", 70, Option.empty());
  }

  private static SparkListenerTaskEnd failure(
      int stageAttempt, BlockManagerId blamed, List<Attempt> maps, String asked, String silent) {
    String message =
        MissingMaps.text(maps)
            + MissingMaps.servers(
                asked.isEmpty() ? List.of() : List.of(asked),
                silent.isEmpty() ? List.of() : List.of(silent))
            + MissingMaps.wrongReceipts(maps.size() - 1);
    Attempt first = maps.get(0);
    return new SparkListenerTaskEnd(
        3,
        stageAttempt,
        "ResultTask",
        new FetchFailed(blamed, SHUFFLE, first.mapId(), first.mapIndex(), 0, message),
        null,
        null,
        null);
  }

  private static SparkListenerTaskEnd failure(int stageAttempt, Attempt... maps) {
    return failure(stageAttempt, MapLocation.of(maps[0].mapId()), List.of(maps), "s0", "");
  }

  @Test
  void unregistersExactlyTheOutputsThatAReaderNames() {
    lost.onTaskEnd(failure(0, new Attempt(1, 101), new Attempt(4, 104)));

    assertThat(missing()).containsExactly(1, 4);
  }

  @Test
  void reportsWrongReceipts() {
    lost.onTaskEnd(failure(0, new Attempt(1, 101), new Attempt(4, 104)));
    lost.onTaskEnd(failure(0, new Attempt(2, 102)));

    assertThat(wrongReceipts).containsExactly(1);
  }

  @Test
  void keepsAnAttemptThatHasReplacedTheNamedOne() {
    register(1, 111, MapLocation.of(111), 0);

    lost.onTaskEnd(failure(0, new Attempt(1, 101)));

    assertThat(missing()).isEmpty();
  }

  @Test
  void findsAttemptsWhoseFilesWereMoved() {
    BlockManagerId local = MapLocation.withLocal(112, executor("1"), true);
    register(2, 112, local, 0);
    register(3, 113, executor("2"), 0);

    lost.onTaskEnd(failure(0, local, List.of(new Attempt(2, 112), new Attempt(3, 113)), "s0", ""));

    assertThat(missing()).containsExactly(2, 3);
  }

  @Test
  void ignoresFailuresThatNameAnExecutorAndAMap() {
    lost.onTaskEnd(failure(0, executor("1"), List.of(new Attempt(1, 101)), "s0", ""));

    assertThat(missing()).isEmpty();
  }

  @Test
  void aFailureThatNamesAnExecutorAndNoMapUnregistersItsOutputs() {
    register(1, 111, MapLocation.atServers(111, "1"), 0);
    register(2, 112, MapLocation.atServers(112, "2"), 0);
    register(3, 113, MapLocation.withLocal(113, executor("1"), true), 0);

    lost.onTaskEnd(failure(0, executor("1"), List.of(new Attempt(-1, -1)), "", ""));

    assertThat(missing()).containsExactly(1, 3);
  }

  @Test
  void aRepeatedFailureUnregistersAllOutputsThatTheServersStoredAtTheFirst() {
    register(5, 105, MapLocation.of(105), 15);
    register(4, 104, MapLocation.withLocal(104, executor("1"), false), 0);
    lost.onTaskEnd(failure(0, new Attempt(1, 101)));
    register(1, 120, MapLocation.of(120), 0);

    lost.onTaskEnd(failure(1, new Attempt(2, 102)));

    // Map 1 is new, map 4 has all output locally, map 5 has no output on that server.
    assertThat(missing()).containsExactly(0, 2, 3);
  }

  @Test
  void aServerThatDoesNotAnswerIsReplaced() {
    lost.onTaskEnd(failure(0, MapLocation.of(101), List.of(new Attempt(1, 101)), "s0", "s0"));

    ShuffleAssignment now = assignments.newest(SHUFFLE);
    assertThat(now.hasReplaced("s0")).isTrue();
    assertThat(now.serversOf(0).get(0).getName()).isEqualTo("s7");
    assertThat(now.hasReplaced("s1")).isFalse();
  }

  @Test
  void aServerThatLostDataStaysInUse() {
    lost.onTaskEnd(failure(0, new Attempt(1, 101)));

    assertThat(assignments.newest(SHUFFLE).generation()).isZero();
  }

  @Test
  void anExecutorLossUnregistersOutputsOnlyStoredThere() {
    register(1, 111, MapLocation.withLocal(111, executor("1"), true), 0);
    register(2, 112, MapLocation.withLocal(112, executor("1"), false), 0);
    register(3, 113, MapLocation.withLocal(113, executor("2"), true), 0);
    register(4, 114, executor("1"), 0);
    long epoch = tracker.getEpoch();

    lost.onExecutorRemoved(new SparkListenerExecutorRemoved(1L, "1", "killed"));

    assertThat(missing()).containsExactly(1, 4);
    assertThat(tracker.getEpoch()).isGreaterThan(epoch);
  }

  @Test
  void anExecutorLossUnregistersNothingWithAnExternalShuffleService() {
    register(1, 111, MapLocation.withLocal(111, executor("1"), true), 0);

    lost(true).onExecutorRemoved(new SparkListenerExecutorRemoved(1L, "1", "killed"));

    assertThat(missing()).isEmpty();
  }
}
