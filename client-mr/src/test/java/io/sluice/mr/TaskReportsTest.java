package io.sluice.mr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.push.PushCounters;
import io.sluice.client.read.ReadCounters;
import io.sluice.client.server.ServerTimes;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.ServerTime;
import io.sluice.proto.ShuffleReads;
import io.sluice.proto.TaskReport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.junit.jupiter.api.Test;

class TaskReportsTest {
  private static final TaskAttemptID MAP = TaskAttemptID.forName("attempt_1_0001_m_000004_0");
  private static final long MS = 1_000_000;

  /** Hadoop cuts longer texts. */
  private static final int MAX_CHARACTERS = 0xffff / 3;

  private static PushCounters pushed(Map<String, ServerTimes.ServerTime> servers) {
    return new PushCounters(
        0, 100, 0, 0, 0, 0, 2, 0, new PushCounters.Rerouted(30, 1, 3, 4), new ServerTimes(servers));
  }

  @Test
  void theMasterGetsWhatAMapTaskSends() throws Exception {
    List<String> texts = new ArrayList<>();
    TaskReport report =
        TaskReports.ofPush(
            pushed(Map.of("a", new ServerTimes.ServerTime(5, 6 * MS, 7 * MS, 8 * MS))));

    TaskReports.send((attempt, text) -> texts.add(text), MAP, report);

    assertThat(texts).singleElement().matches(TaskReports::isReport);
    assertThat(TaskReports.parse(texts.get(0)))
        .isEqualTo(
            TaskReport.newBuilder()
                .setPushedBytes(70)
                .setLocalWrittenBytes(30)
                .setPushRetries(2)
                .setReplacementServers(3)
                .addServers(
                    ServerTime.newBuilder()
                        .setServer("a")
                        .setPushedBytes(5)
                        .setPushWaitMs(6)
                        .setMemoryWaitMs(7)
                        .setDiskWaitMs(8))
                .build());
  }

  @Test
  void aReduceTaskIsOneRead() {
    ReadCounters read =
        new ReadCounters(
            50,
            0,
            0,
            0,
            0,
            0,
            0,
            new ReadCounters.Requests(1, 2, 3, 4),
            new ReadCounters.Files(0, 0),
            new ReadCounters.Local(0, 0, 0),
            new ServerTimes(Map.of("a", new ServerTimes.ServerTime(5, 6 * MS, 0, 0))));

    assertThat(TaskReports.ofReads(read, 70))
        .isEqualTo(
            TaskReport.newBuilder()
                .setReadBytes(50)
                .setReadRetries(3)
                .addServers(ServerTime.newBuilder().setServer("a").setReadBytes(5).setReadWaitMs(6))
                .addShuffles(
                    ShuffleReads.newBuilder()
                        .setReads(1)
                        .setBytes(50)
                        .setDurationMs(70)
                        .setLongestMs(70)
                        .setLongestBytes(50))
                .build());
  }

  @Test
  void aReportOfManyServersFitsIntoOneText() throws Exception {
    Map<String, ServerTimes.ServerTime> servers = new HashMap<>();
    for (int i = 0; i < 1000; i++) {
      servers.put(
          "s".repeat(252) + i, new ServerTimes.ServerTime(Long.MAX_VALUE, i * MS, 0, 1L << 60));
    }

    String text = TaskReports.text(TaskReports.ofPush(pushed(servers)));

    assertThat(text.length()).isLessThan(MAX_CHARACTERS);
    assertThat(TaskReports.parse(text).getServersList())
        .hasSize(TaskReports.MAX_SERVERS)
        .extracting(ServerTime::getPushWaitMs)
        .allMatch(ms -> ms >= 1000 - TaskReports.MAX_SERVERS);
  }

  @Test
  void otherTextsAreNoReports() {
    String text = TaskReports.text(TaskReports.ofLocalOutput(1L << 40));
    assertThat(TaskReports.isReport("Error: " + text)).isFalse();
    assertThatThrownBy(() -> TaskReports.parse(text + "!")).isInstanceOf(SluiceException.class);
    assertThatThrownBy(() -> TaskReports.parse(text.substring(0, text.length() - 4)))
        .isInstanceOf(SluiceException.class)
        .hasMessageStartingWith("malformed report of a task, characters=");
  }

  @Test
  void aFailureDoesNotFailTheTask() {
    TaskReports.send(
        (attempt, text) -> {
          throw new IOException("master is gone");
        },
        MAP,
        TaskReport.getDefaultInstance());
  }
}
