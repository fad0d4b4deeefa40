package io.sluice.coordinator.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.cluster.TaskReport.ServerTime;
import io.sluice.coordinator.cluster.TaskReport.ShuffleReads;
import io.sluice.proto.TaskReport;
import org.junit.jupiter.api.Test;

class CheckedTaskReportTest {
  private static io.sluice.proto.ServerTime.Builder server(String name, long waitMs) {
    return io.sluice.proto.ServerTime.newBuilder().setServer(name).setPushWaitMs(waitMs);
  }

  @Test
  void limitsNumbers() {
    var report =
        CheckedTaskReport.of(
            TaskReport.newBuilder()
                .setPushedBytes(-1)
                .setReadBytes(Long.MAX_VALUE)
                .setConcurrentTasks(-5)
                .addServers(server("a:1", Long.MIN_VALUE).setDiskWaitMs(Long.MAX_VALUE))
                .addShuffles(
                    io.sluice.proto.ShuffleReads.newBuilder()
                        .setReads(Long.MAX_VALUE)
                        .setLongestMs(-1))
                .build());

    assertThat(report.bytes().pushed()).isZero();
    assertThat(report.bytes().read()).isEqualTo(1L << 53);
    assertThat(report.concurrentTasks()).isZero();
    assertThat(report.servers()).containsExactly(new ServerTime("a:1", 0, 0, 0, 0, 0, 1L << 53));
    assertThat(report.shuffles()).containsExactly(new ShuffleReads(0, 1L << 53, 0, 0, 0, 0));
  }

  @Test
  void dropsInvalidAndSuperfluousEntries() {
    TaskReport.Builder sent = TaskReport.newBuilder();
    sent.addServers(server("<script>", 9_999)).addServers(server("", 9_999));
    sent.addServers(server("a".repeat(257), 9_999));
    sent.addShuffles(io.sluice.proto.ShuffleReads.newBuilder().setShuffle(-1).setReads(1));
    sent.addShuffles(io.sluice.proto.ShuffleReads.newBuilder().setShuffle(1).setReads(0));
    for (int i = 0; i < 1_000; i++) {
      sent.addServers(server("s:" + i, i));
      sent.addShuffles(io.sluice.proto.ShuffleReads.newBuilder().setShuffle(i).setReads(1));
    }

    var report = CheckedTaskReport.of(sent.build());
    assertThat(report.servers()).hasSize(CheckedTaskReport.MAX_SERVERS);
    assertThat(report.servers().get(0).server()).as("the longest wait").isEqualTo("s:999");
    assertThat(report.shuffles()).hasSize(CheckedTaskReport.MAX_SHUFFLES);
  }
}
