package io.sluice.spark.ui;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.proto.ServerTime;
import io.sluice.proto.ShuffleReads;
import io.sluice.proto.TaskReport;
import io.sluice.spark.stats.ShuffleCounters;
import io.sluice.spark.stats.ShuffleCounters.AtServer;
import io.sluice.spark.stats.ShuffleCounters.Reads;
import io.sluice.spark.stats.ShuffleCounters.Writes;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TaskTotalsTest {
  private final TaskTotals totals = new TaskTotals();

  /** Ten reads, of which the longest took 100 ms more than the others. */
  private static ShuffleCounters counters(String server, long waitMs) {
    return new ShuffleCounters(
        new Writes(1, 0, 0, 100, 50, 3, 1, waitMs),
        new Reads(10, 0, 80, 0, 20, 2, 0, 10 * 20 + 100, 120, 60),
        Map.of(server, new AtServer(100, 80, waitMs, 1, 2, 3)));
  }

  @Test
  void sumsUpLiveAndEndedShuffles() {
    totals.ended(1, counters("a:1", 5));
    totals.ended(2, counters("b:1", 7));

    TaskReport report = totals.report(Map.of(3, counters("a:1", 10)));

    assertThat(report.getPushedBytes()).isEqualTo(300);
    assertThat(report.getLocalWrittenBytes()).isEqualTo(150);
    assertThat(report.getReadBytes()).isEqualTo(240);
    assertThat(report.getLocalReadBytes()).isEqualTo(60);
    assertThat(report.getPushRetries()).isEqualTo(9);
    assertThat(report.getReadRetries()).isEqualTo(6);
    assertThat(report.getReplacementServers()).isEqualTo(3);
    assertThat(report.getServersList()).containsExactly(server("a:1", 2, 15), server("b:1", 1, 7));
    assertThat(report.getShufflesList())
        .extracting(ShuffleReads::getShuffle)
        .containsExactlyInAnyOrder(1, 2, 3);
    assertThat(report.getShuffles(0).toBuilder().setShuffle(0).build())
        .isEqualTo(
            ShuffleReads.newBuilder()
                .setReads(10)
                .setBytes(100)
                .setDurationMs(300)
                .setLongestMs(120)
                .setLongestBytes(60)
                .build());
  }

  private static ServerTime server(String name, int times, long pushWaitMs) {
    return ServerTime.newBuilder()
        .setServer(name)
        .setPushedBytes(times * 100L)
        .setReadBytes(times * 80L)
        .setPushWaitMs(pushWaitMs)
        .setReadWaitMs(times)
        .setMemoryWaitMs(times * 2L)
        .setDiskWaitMs(times * 3L)
        .build();
  }

  @Test
  void limitsServersAndShuffles() {
    Map<Integer, ShuffleCounters> live = new HashMap<>();
    for (int i = 0; i < 500; i++) {
      totals.ended(i, counters("s:" + i, i));
      live.put(1000 + i, counters("t:" + i, i));
    }

    TaskReport report = totals.report(live);

    assertThat(report.getServersList()).hasSize(TaskTotals.MAX_SERVERS);
    assertThat(report.getServers(0).getPushWaitMs()).isEqualTo(499);
    assertThat(report.getShufflesList()).hasSize(TaskTotals.MAX_SHUFFLES);
  }

  @Test
  void countsConcurrentTasks() {
    totals.taskEnded();
    totals.taskStarted();
    totals.taskStarted();
    totals.taskEnded();
    totals.taskStarted();

    assertThat(totals.report(Map.of()).getConcurrentTasks()).isEqualTo(2);
  }
}
