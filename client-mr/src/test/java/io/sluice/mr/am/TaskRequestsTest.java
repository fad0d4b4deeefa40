package io.sluice.mr.am;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.common.error.SluiceException;
import io.sluice.mr.Assignments;
import io.sluice.mr.CompletionEventsRequest;
import io.sluice.mr.TaskReports;
import io.sluice.proto.TaskReport;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.Optional;
import org.apache.hadoop.mapred.MapTaskCompletionEventsUpdate;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.security.token.JobTokenSecretManager;
import org.apache.hadoop.mapreduce.v2.app.AppContext;
import org.junit.jupiter.api.Test;

class TaskRequestsTest {
  private static final TaskAttemptID MAP = TaskAttemptID.forName("attempt_1_0001_m_000004_0");

  private final ShuffleInTest shuffle = new ShuffleInTest();
  private final TaskRequests master =
      new TaskRequests(
          (AppContext)
              Proxy.newProxyInstance(
                  AppContext.class.getClassLoader(),
                  new Class<?>[] {AppContext.class},
                  (proxy, method, arguments) -> {
                    throw new UnsupportedOperationException(method.getName());
                  }),
          new JobTokenSecretManager(),
          null,
          null,
          shuffle);

  private ShuffleAssignment ask(ShuffleAssignment known, int server) throws IOException {
    return CompletionEventsRequest.ask(master::getMapCompletionEvents, MAP, known, server);
  }

  @Test
  void sendsTheNewestAssignmentToTasksWithAnOlderOne() throws IOException {
    ShuffleAssignment first = Assignments.of(3, 9);
    shuffle.assignment = Optional.of(first);
    assertThat(ask(first, CompletionEventsRequest.NONE)).isSameAs(first);

    ShuffleAssignment second = first.replaceFailed("server-1", Assignments.server(7));
    shuffle.assignment = Optional.of(second);
    assertThat(ask(first, CompletionEventsRequest.NONE)).isEqualTo(second);
    assertThat(ask(second, CompletionEventsRequest.NONE)).isSameAs(second);
    assertThat(shuffle.replaced).isEmpty();
  }

  @Test
  void replacesTheFailedServer() throws IOException {
    ShuffleAssignment first = Assignments.of(3, 9);
    shuffle.assignment = Optional.of(first);

    ShuffleAssignment second = ask(first, first.indexOf("server-2"));

    assertThat(shuffle.replaced).containsExactly("server-2");
    assertThat(second.generation()).isEqualTo(1);
    assertThat(second.serversOf(8)).containsExactly(Assignments.server(7));
  }

  @Test
  void ignoresUnknownServersAndJobsOnTheBuiltInShuffle() throws IOException {
    ShuffleAssignment first = Assignments.of(3, 9);
    assertThat(ask(first, 1)).isSameAs(first);

    shuffle.assignment = Optional.of(first);
    assertThat(ask(first, 3)).isSameAs(first);
    assertThat(ask(first, -2)).isSameAs(first);
    assertThat(shuffle.replaced).isEmpty();
  }

  @Test
  void collectsTheReportsOfTasks() throws IOException {
    TaskReport report = TaskReports.ofLocalOutput(7);
    TaskReports.send(master::reportDiagnosticInfo, MAP, report);
    TaskReports.send(master::reportDiagnosticInfo, MAP, report);

    assertThat(shuffle.tasks.all().getLocalWrittenBytes()).isEqualTo(14);
    assertThatThrownBy(() -> master.reportDiagnosticInfo(MAP, "#sluice-task=?"))
        .isInstanceOf(SluiceException.class);
  }

  @Test
  void leavesOtherRequestsToHadoop() {
    assertThatThrownBy(
            () -> {
              MapTaskCompletionEventsUpdate unused =
                  master.getMapCompletionEvents(MAP.getJobID(), 0, 10, MAP);
            })
        .hasMessage("getJob");
  }
}
