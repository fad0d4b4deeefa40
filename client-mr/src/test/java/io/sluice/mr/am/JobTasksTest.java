package io.sluice.mr.am;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.proto.ServerTime;
import io.sluice.proto.ShuffleReads;
import io.sluice.proto.TaskReport;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.junit.jupiter.api.Test;

class JobTasksTest {
  private final JobTasks tasks = new JobTasks();

  private static TaskAttemptId attempt(int number) {
    return TypeConverter.toYarn(
        TaskAttemptID.forName(String.format("attempt_1_0001_m_%06d_0", number)));
  }

  private static ServerTime.Builder server(String name) {
    return ServerTime.newBuilder().setServer(name);
  }

  private static ShuffleReads reads(long count, long bytes, long ms, long longestMs, long longest) {
    return ShuffleReads.newBuilder()
        .setReads(count)
        .setBytes(bytes)
        .setDurationMs(ms)
        .setLongestMs(longestMs)
        .setLongestBytes(longest)
        .build();
  }

  @Test
  void reportsNothingAtFirst() {
    assertThat(tasks.all()).isEqualTo(TaskReport.getDefaultInstance());
  }

  @Test
  void sumsTheReportsOfTasks() {
    tasks.add(
        TaskReport.newBuilder()
            .setPushedBytes(1)
            .setPushRetries(2)
            .setReplacementServers(3)
            .addServers(server("a").setPushedBytes(4).setPushWaitMs(5).setMemoryWaitMs(6))
            .build());
    tasks.add(TaskReport.newBuilder().setLocalWrittenBytes(7).build());
    for (int i = 1; i <= 2; i++) {
      tasks.add(
          TaskReport.newBuilder()
              .setReadBytes(8)
              .setReadRetries(9)
              .addServers(server("b").setReadBytes(10).setReadWaitMs(11).setDiskWaitMs(12))
              .addServers(server("a").setReadWaitMs(1))
              .addShuffles(reads(1, 8, 20L * i, 20L * i, 8L * i))
              .build());
    }

    assertThat(tasks.all())
        .isEqualTo(
            TaskReport.newBuilder()
                .setPushedBytes(1)
                .setPushRetries(2)
                .setReplacementServers(3)
                .setLocalWrittenBytes(7)
                .setReadBytes(16)
                .setReadRetries(18)
                .addServers(server("b").setReadBytes(20).setReadWaitMs(22).setDiskWaitMs(24))
                .addServers(
                    server("a")
                        .setPushedBytes(4)
                        .setPushWaitMs(5)
                        .setMemoryWaitMs(6)
                        .setReadWaitMs(2))
                .addShuffles(reads(2, 16, 60, 40, 16))
                .build());
  }

  @Test
  void reportsTheServersWithTheLongestWaits() {
    for (int i = 0; i <= JobTasks.MAX_SERVERS; i++) {
      tasks.add(TaskReport.newBuilder().addServers(server("s" + i).setPushWaitMs(i)).build());
    }

    assertThat(tasks.all().getServersList())
        .hasSize(JobTasks.MAX_SERVERS)
        .extracting(ServerTime::getServer)
        .contains("s" + JobTasks.MAX_SERVERS)
        .doesNotContain("s0");
  }

  @Test
  void countsTasksThatRunAtTheSameTime() {
    tasks.started(attempt(1));
    tasks.started(attempt(2));
    tasks.ended(attempt(1));
    tasks.ended(attempt(1));
    tasks.ended(attempt(9));
    tasks.started(attempt(3));

    assertThat(tasks.all().getConcurrentTasks()).isEqualTo(2);
  }
}
