package io.sluice.spark.ui;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.PartitionRange;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.ShuffleReceipts;
import io.sluice.spark.MapLocation;
import io.sluice.spark.MissingMaps;
import io.sluice.spark.stats.ShuffleCounters;
import io.sluice.spark.stats.ShuffleStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.FetchFailed;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.junit.jupiter.api.Test;

class ShuffleStatesTest {
  private final List<ShuffleState> posted = new ArrayList<>();
  private final AtomicLong nanos = new AtomicLong(TimeUnit.HOURS.toNanos(1));
  private final ShuffleStatistics statistics = new ShuffleStatistics();
  private ShuffleAssignment newest = assignment();
  private final ShuffleStates states =
      new ShuffleStates(shuffle -> newest, event -> posted.add((ShuffleState) event), nanos::get);

  @Test
  void postsAShuffleWhenItBeginsAndWhenItHasChanged() {
    states.assigned(newest, statistics);
    assertThat(posted).hasSize(1);
    states.onStageCompleted(null);
    assertThat(posted).as("nothing has changed").hasSize(1);

    statistics.add(pushed(100));
    states.onStageCompleted(null);

    assertThat(posted).hasSize(2);
    assertThat(posted.get(1).shuffleId).isEqualTo(4);
    assertThat(posted.get(1).partitions).isEqualTo(8);
    assertThat(posted.get(1).counters.writes().pushedBytes()).isEqualTo(100);
  }

  @Test
  void postsAReplacementServer() {
    states.assigned(newest, statistics);
    newest = newest.replaceFailed("a:1", server("b"));

    states.onJobEnd(null);

    assertThat(posted).hasSize(2);
    assertThat(posted.get(1).servers).containsExactly("a:1", "b:1");
    assertThat(posted.get(1).generation).isEqualTo(1);
  }

  @Test
  void postsAtIntervalsWhileTasksEnd() {
    states.assigned(newest, statistics);
    statistics.add(pushed(1));
    states.onTaskEnd(null);
    statistics.add(pushed(1));
    states.onTaskEnd(null);
    assertThat(posted).hasSize(2);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));

    states.onTaskEnd(null);

    assertThat(posted).hasSize(3);
    assertThat(posted.get(2).counters.writes().pushedBytes()).isEqualTo(2);
  }

  @Test
  void postsTheLastStateOfAShuffleThatEnds() {
    states.assigned(newest, statistics);
    statistics.add(pushed(7));
    newest = null;

    states.ended(4);
    statistics.add(pushed(7));
    states.onJobEnd(null);

    assertThat(posted).hasSize(2);
    assertThat(posted.get(1).counters.writes().pushedBytes()).isEqualTo(7);
    assertThat(posted.get(1).servers).containsExactly("a:1");
  }

  @Test
  void postsWrongReceiptsOfFailedTasks() {
    states.assigned(newest, statistics);
    FetchFailed failure =
        new FetchFailed(MapLocation.of(7), 4, 7, 0, 0, MissingMaps.wrongReceipts(2));
    states.onTaskEnd(new SparkListenerTaskEnd(3, 0, "ResultTask", failure, null, null, null));

    states.onJobEnd(null);

    assertThat(posted).hasSize(2);
    assertThat(posted.get(1).wrongReceipts).isEqualTo(2);
    assertThat(states.receipts())
        .containsExactly(ShuffleReceipts.newBuilder().setShuffle(4).setWrong(2).build());
    states.ended(4);
    assertThat(states.receipts()).isEmpty();
  }

  @Test
  void postsTheReasonOfAFallback() {
    states.refused(9, 3, "NO_SERVERS: none");

    assertThat(posted).hasSize(1);
    assertThat(posted.get(0).refusal).isEqualTo("NO_SERVERS: none");
    assertThat(posted.get(0).shuffleId).isEqualTo(9);
  }

  private static ShuffleCounters pushed(long bytes) {
    return new ShuffleCounters(
        new ShuffleCounters.Writes(1, 0, 0, bytes, 0, 0, 0, 0),
        new ShuffleCounters.Reads(0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        Map.of());
  }

  private static ServerId server(String host) {
    return ServerId.newBuilder().setName(host + ":1").setHost(host).setRpcPort(1).build();
  }

  private static ShuffleAssignment assignment() {
    try {
      return ShuffleAssignment.of(
          ShuffleId.newBuilder().setApplication("app").setShuffle(4).build(),
          8,
          RegisterShuffleReply.newBuilder()
              .addServers(server("a"))
              .addRanges(PartitionRange.newBuilder().setFirst(0).setLast(7).addServers(0))
              .build());
    } catch (SluiceException e) {
      throw new AssertionError(e);
    }
  }
}
