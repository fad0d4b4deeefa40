package io.sluice.coordinator.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.cluster.TaskReport;
import io.sluice.coordinator.cluster.TaskReport.ServerTime;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TaskReportsTest {
  private static TaskReport ofServers(int count) {
    List<ServerTime> servers =
        IntStream.range(0, count).mapToObj(i -> new ServerTime("s" + i, 0, 0, 0, 0, 0, 0)).toList();
    return new TaskReport(
        TaskReport.NONE.bytes(), TaskReport.NONE.retries(), 1, servers, List.of());
  }

  @Test
  void keepsTheLatestReportsOfABoundedSize() {
    TaskReports reports = new TaskReports(10);
    reports.reported("a", ofServers(3));
    reports.reported("b", ofServers(3));
    reports.reported("a", ofServers(2));
    assertThat(reports.of("a")).contains(ofServers(2));
    assertThat(reports.of("b")).contains(ofServers(3));

    reports.reported("c", ofServers(4));
    assertThat(reports.of("b")).as("reported before the others").isEmpty();
    assertThat(reports.of("a")).isPresent();
    assertThat(reports.of("c")).isPresent();

    reports.reported("d", ofServers(100));
    assertThat(reports.of("c")).isEmpty();
    assertThat(reports.of("d")).as("larger than the capacity").isEmpty();
  }

  @Test
  void forgetsAFinishedApplication() {
    TaskReports reports = new TaskReports(10);
    reports.reported("a", ofServers(9));

    reports.forget("a");
    reports.forget("unknown");

    assertThat(reports.of("a")).isEmpty();
    reports.reported("b", ofServers(9));
    assertThat(reports.of("b")).as("within the capacity").isPresent();
  }
}
